#include "autograd/ops/sum.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/reshape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Counting(const Shape& shape, DType dtype = DType::kFloat32) {
  return Cast(Reshape(Arange(shape.numel()), shape), dtype);
}

template <typename Fn>
std::string ErrorOf(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Sum, ReducesAnySetOfDimensions) {
  const Tensor x = Counting({2, 3, 2});
  EXPECT_EQ(Sum(x).Item(), 66);
  EXPECT_EQ(Sum(x).shape(), Shape());
  EXPECT_THAT(Sum(x, {-1}).ToVector<float>(), ElementsAre(1, 5, 9, 13, 17, 21));
  EXPECT_THAT(Sum(x, {0}).ToVector<float>(), ElementsAre(6, 8, 10, 12, 14, 16));
  EXPECT_THAT(Sum(x, {2, 0}).ToVector<float>(), ElementsAre(14, 22, 30));
  EXPECT_THAT(Sum(x, {1}).ToVector<float>(), ElementsAre(6, 9, 24, 27));
  EXPECT_EQ(Sum(x, {0, 2}, true).shape(), (Shape{1, 3, 1}));
}

TEST(Sum, ReadsViewsAtTheirStrides) {
  const Tensor x = Counting({2, 3});
  EXPECT_THAT(Sum(Transpose(x, 0, 1), {0}).ToVector<float>(), ElementsAre(3, 12));
  EXPECT_EQ(Sum(Expand(Counting({1, 3}), {4, 3})).Item(), 12);
}

TEST(Sum, OfNothingIsZeroAndTheMeanIsNan) {
  EXPECT_THAT(Sum(Zeros({2, 0}), {1}).ToVector<float>(), ElementsAre(0, 0));
  EXPECT_EQ(Sum(Zeros({0}), {0}).Item(), 0);
  EXPECT_TRUE(std::isnan(Mean(Zeros({0})).Item()));
}

TEST(Sum, OfBoolsAndIntegersIsInt64) {
  const Tensor sum = Sum(FromValues<bool>({true, false, true}));
  EXPECT_EQ(sum.dtype(), DType::kInt64);
  EXPECT_EQ(sum.Item(), 2);
  const Tensor large = FromValues<int32_t>({2000000000, 2000000000});
  EXPECT_THAT(Sum(large).ToVector<int64_t>(), ElementsAre(4000000000));
  EXPECT_THAT(ErrorOf([&] { Mean(large); }), HasSubstr("[mean] x: must be of a float type"));
}

TEST(Sum, OfBFloat16IsRoundedOnce) {
  const Tensor ones = Full({1000, 3}, 1, DType::kBFloat16);
  EXPECT_EQ(Cast(Sum(ones, {0}), DType::kFloat32).ToVector<float>(),
            std::vector<float>(3, 1000.0f));
  EXPECT_EQ(Mean(ones).Item(), 1);
}

TEST(Sum, RefusesDimensionsThatAreNotThere) {
  EXPECT_THAT(ErrorOf([] { Sum(Zeros({2, 3}), {2}); }), HasSubstr("[sum] dim: 2 is not in"));
  EXPECT_THAT(ErrorOf([] { Sum(Zeros({2, 3}), {1, -1}); }), HasSubstr("named twice"));
}

TEST(SumTo, UndoesBroadcasting) {
  const Tensor x = Counting({2, 2, 3});
  EXPECT_TRUE(SumTo(x, {2, 2, 3}).IsSameAs(x));
  EXPECT_EQ(SumTo(x, {2, 1}).ToVector<float>(), Sum(x, {0, 2}).ToVector<float>());
  EXPECT_EQ(SumTo(x, {2, 1}).shape(), (Shape{2, 1}));
  EXPECT_EQ(SumTo(x, {}).Item(), 66);
  EXPECT_THAT(ErrorOf([&] { SumTo(x, {2}); }), HasSubstr("does not broadcast"));
}

TEST(Mean, SpreadsItsGradient) {
  Tensor x = Counting({2, 4}, DType::kFloat64);
  x.SetRequiresGrad(true);
  Backward(Sum(Mean(x, {1})));
  EXPECT_EQ(x.grad().ToVector<double>(), std::vector<double>(8, 0.25));
}

TEST(CumSum, RunsFromEitherEnd) {
  const Tensor x = Counting({2, 3});
  EXPECT_THAT(CumSum(x, 1).ToVector<float>(), ElementsAre(0, 1, 3, 3, 7, 12));
  EXPECT_THAT(CumSum(x, 0).ToVector<float>(), ElementsAre(0, 1, 2, 3, 5, 7));
  EXPECT_THAT(CumSum(x, -1, true).ToVector<float>(), ElementsAre(3, 3, 2, 12, 9, 5));
  EXPECT_EQ(CumSum(FromValues<bool>({true, true}), 0).dtype(), DType::kInt64);
  EXPECT_EQ(CumSum(Scalar(3), 0).Item(), 3);
}

TEST(CumSum, GradientCountsTheSumsAnElementIsIn) {
  Tensor x = Counting({4}, DType::kFloat64);
  x.SetRequiresGrad(true);
  Backward(Sum(CumSum(x, 0)));
  EXPECT_THAT(x.grad().ToVector<double>(), ElementsAre(4, 3, 2, 1));
}

}  // namespace
}  // namespace lemma
