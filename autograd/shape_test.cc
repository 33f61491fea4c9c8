#include "autograd/shape.h"

#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Shape, PrintsAsPythonDoes) {
  EXPECT_EQ(Shape({}).ToString(), "()");
  EXPECT_EQ(Shape({3}).ToString(), "(3,)");
  EXPECT_EQ(Shape({4, 8}).ToString(), "(4, 8)");
}

TEST(Shape, CountsElements) {
  EXPECT_EQ(Shape({}).numel(), 1);
  EXPECT_EQ(Shape({2, 3, 4}).numel(), 24);
  EXPECT_EQ(Shape({2, 0, 4}).numel(), 0);
}

TEST(Shape, RefusesACountThatDoesNotFit) {
  const int64_t large = int64_t{1} << 40;
  EXPECT_THAT(
      ErrorOf([&] {
        Shape({large, large}).numel();
      }),
      HasSubstr("[shape] no tensor has as many elements as (1099511627776, 1099511627776)"));
  EXPECT_EQ(Shape({large, large, 0}).numel(), 0);
}

TEST(Strides, AreRowMajor) {
  EXPECT_THAT(ContiguousStrides({2, 3, 4}), ElementsAre(12, 4, 1));
  EXPECT_THAT(ContiguousStrides({}), ElementsAre());
}

TEST(Strides, OfSizeOneDoNotMatterForContiguity) {
  EXPECT_TRUE(IsContiguous({2, 1, 3}, {3, 77, 1}));
  EXPECT_TRUE(IsContiguous({0, 5}, {9, 9}));
  EXPECT_TRUE(IsContiguous({5, 0}, {9, 9}));
  EXPECT_FALSE(IsContiguous({2, 3}, {1, 2}));
  EXPECT_FALSE(IsContiguous({2, 3}, {0, 1}));
}

Shape Merged(const Shape& a, const Shape& b) {
  Shape result;
  EXPECT_TRUE(Broadcast(a, b, &result));
  return result;
}

TEST(Broadcast, AlignsAtTheEnd) {
  EXPECT_EQ(Merged({1}, {5, 4}), Shape({5, 4}));
  EXPECT_EQ(Merged({4, 1}, {1, 4}), Shape({4, 4}));
  EXPECT_EQ(Merged({2, 1, 3, 5}, {2, 1, 3, 1}), Shape({2, 1, 3, 5}));
  EXPECT_EQ(Merged({}, {3}), Shape({3}));
  EXPECT_EQ(Merged({0, 3}, {1, 3}), Shape({0, 3}));
  EXPECT_EQ(Merged({0}, {1}), Shape({0}));
}

TEST(Broadcast, RefusesSizesThatDiffer) {
  Shape result;
  EXPECT_FALSE(Broadcast({2}, {3}, &result));
  EXPECT_FALSE(Broadcast({0}, {2}, &result));
  EXPECT_FALSE(Broadcast({4, 2}, {3, 2}, &result));
}

TEST(BroadcastsTo, IsOneWay) {
  EXPECT_TRUE(BroadcastsTo({1, 3}, {2, 3}));
  EXPECT_FALSE(BroadcastsTo({2, 3}, {1, 3}));
  EXPECT_FALSE(BroadcastsTo({2, 3}, {3}));
}

TEST(BroadcastStrides, AreZeroWhereStretched) {
  EXPECT_THAT(BroadcastStrides({3, 1}, {1, 1}, {2, 3, 4}), ElementsAre(0, 1, 0));
}

TEST(NormalizeDim, CountsFromTheEnd) {
  EXPECT_EQ(NormalizeDim("sum", -1, 3), 2);
  EXPECT_EQ(NormalizeDim("sum", 0, 3), 0);
  EXPECT_EQ(NormalizeDim("sum", -1, 0), 0);
}

TEST(NormalizeDim, NamesTheOpAndTheRange) {
  EXPECT_EQ(ErrorOf([] { NormalizeDim("sum", 3, 3); }),
            "[sum] dim: 3 is not in [-3, 2], the dimensions of a tensor of rank 3");
}

}  // namespace
}  // namespace lemma
