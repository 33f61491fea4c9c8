#include "autograd/ops/views.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 0, 1, 2, ... under `shape`.
Tensor Counting(const Shape& shape) {
  Tensor x = Tensor::Empty(shape);
  float* values = x.mutable_data<float>();
  for (int64_t i = 0; i < x.numel(); ++i) values[i] = static_cast<float>(i);
  return x;
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

bool SharesElements(const Tensor& a, const Tensor& b) {
  return a.storage().get() == b.storage().get();
}

TEST(Reshape, InfersOneSizeAndSharesTheElements) {
  const Tensor x = Counting({2, 6});
  const Tensor y = Reshape(x, {3, -1});
  EXPECT_EQ(y.shape(), (Shape{3, 4}));
  EXPECT_TRUE(SharesElements(x, y));
  EXPECT_EQ(y.ToVector<float>(), x.ToVector<float>());
}

TEST(Reshape, OfAViewIsAViewWhereStridesAllowIt) {
  const Tensor x = Counting({2, 3, 4});
  const Tensor slice = Slice(x, 2, 1, 3);
  const Tensor merged = Reshape(slice, {6, 1, 2});
  EXPECT_TRUE(SharesElements(x, merged));
  EXPECT_EQ(merged.ToVector<float>(), slice.ToVector<float>());
  const Tensor split = Reshape(Transpose(x, 1, 2), {2, 2, 2, 3});
  EXPECT_TRUE(SharesElements(x, split));
  EXPECT_EQ(split.ToVector<float>(), Transpose(x, 1, 2).ToVector<float>());
}

TEST(Reshape, CopiesWhereStridesDoNotAllowAView) {
  const Tensor x = Counting({2, 3});
  const Tensor y = Reshape(Transpose(x, 0, 1), {6});
  EXPECT_FALSE(SharesElements(x, y));
  EXPECT_THAT(y.ToVector<float>(), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Reshape, TakesScalarsAndEmptyTensors) {
  EXPECT_EQ(Reshape(Counting({}), {1, 1}).shape(), (Shape{1, 1}));
  EXPECT_EQ(Reshape(Counting({1, 1}), {}).shape(), Shape());
  EXPECT_EQ(Reshape(Counting({0, 3}), {3, 0, 2}).shape(), (Shape{3, 0, 2}));
}

TEST(Reshape, SaysWhatDoesNotFit) {
  EXPECT_EQ(ErrorOf([] {
              Reshape(Counting({2, 3}), {4, -1});
            }),
            "[reshape] shape: (4, -1) does not hold the 6 elements of x, which is (2, 3)");
  EXPECT_THAT(ErrorOf([] { Reshape(Counting({2, 3}), {-1, -1}); }), HasSubstr("only one size"));
  EXPECT_THAT(ErrorOf([] { Reshape(Counting({0}), {0, -1}); }), HasSubstr("could be any"));
}

TEST(Flatten, MergesTheNamedDimensions) {
  EXPECT_EQ(Flatten(Counting({2, 3, 4}), 1).shape(), (Shape{2, 12}));
  EXPECT_EQ(Flatten(Counting({2, 3, 4}), 0, -2).shape(), (Shape{6, 4}));
  EXPECT_EQ(Flatten(Counting({})).shape(), (Shape{1}));
}

TEST(Squeeze, DropsDimensionsOfSizeOne) {
  EXPECT_EQ(Squeeze(Counting({1, 3, 1})).shape(), (Shape{3}));
  EXPECT_EQ(Squeeze(Counting({1, 3, 1}), -1).shape(), (Shape{1, 3}));
  EXPECT_EQ(Squeeze(Counting({1, 3, 1}), 1).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(Unsqueeze(Counting({2, 3}), -1).shape(), (Shape{2, 3, 1}));
  EXPECT_EQ(Unsqueeze(Counting({2, 3}), 0).shape(), (Shape{1, 2, 3}));
}

TEST(Permute, MovesDimensionsWithoutACopy) {
  const Tensor x = Counting({2, 3, 4});
  const Tensor y = Permute(x, {2, 0, -2});
  EXPECT_EQ(y.shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(y.strides(), (Strides{1, 12, 4}));
  EXPECT_TRUE(SharesElements(x, y));
  EXPECT_THAT(ErrorOf([&] { Permute(x, {0, 1, 0}); }), HasSubstr("dimension 0 is named twice"));
}

TEST(Slice, ClampsItsBoundsAsPythonDoes) {
  const Tensor x = Counting({6});
  EXPECT_THAT(Slice(x, 0, 1, 100, 2).ToVector<float>(), ElementsAre(1, 3, 5));
  EXPECT_THAT(Slice(x, 0, -2).ToVector<float>(), ElementsAre(4, 5));
  EXPECT_THAT(Slice(x, -1, -100, -4).ToVector<float>(), ElementsAre(0, 1));
  EXPECT_EQ(Slice(x, 0, 4, 2).numel(), 0);
  EXPECT_THAT(ErrorOf([&] { Slice(x, 0, 0, 6, 0); }), HasSubstr("step: must be at least 1"));
}

TEST(Slice, PutsItsGradientWhereItWasTaken) {
  Tensor x = Counting({2, 5});
  x.SetRequiresGrad(true);
  Backward({Slice(x, 1, 1, kToEnd, 2), Select(x, 0, -1), Transpose(Expand(x, {3, 2, 5}), 0, 2)},
           {.grad_outputs = {Reshape(Counting({4}), {2, 2}), Counting({5}), Ones({5, 2, 3})}});
  EXPECT_THAT(x.grad().ToVector<float>(), ElementsAre(3, 3, 3, 4, 3, 3, 6, 5, 9, 7));
}

TEST(Select, DropsTheDimension) {
  const Tensor x = Counting({2, 3});
  EXPECT_THAT(Select(x, 1, -1).ToVector<float>(), ElementsAre(2, 5));
  EXPECT_THAT(Select(x, 0, 1).ToVector<float>(), ElementsAre(3, 4, 5));
  EXPECT_THAT(ErrorOf([&] { Select(x, 1, 3); }), HasSubstr("index: 3 is not in [-3, 2]"));
}

TEST(Split, CoversTheDimension) {
  const Tensor x = Counting({5, 2});
  std::vector<Tensor> pieces = Split(x, 2);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_THAT(pieces[2].ToVector<float>(), ElementsAre(8, 9));
  pieces = Split(x, {4, 0, 1}, 0);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[1].numel(), 0);
  EXPECT_THAT(ErrorOf([&] { Split(x, {4, 2}, 0); }), HasSubstr("they sum to 6"));
  EXPECT_EQ(Chunk(x, 4).size(), 3u);
}

TEST(Expand, StretchesWithoutACopy) {
  const Tensor x = Counting({3, 1});
  const Tensor y = Expand(x, {2, -1, 2});
  EXPECT_EQ(y.shape(), (Shape{2, 3, 2}));
  EXPECT_TRUE(SharesElements(x, y));
  EXPECT_THAT(y.ToVector<float>(), ElementsAre(0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2));
  EXPECT_THAT(ErrorOf([&] { Expand(x, {2, 2}); }), HasSubstr("only dimensions of size 1"));
  EXPECT_THAT(ErrorOf([&] { Expand(x, {-1, 3, 1}); }), HasSubstr("sizes are at least 0"));
}

TEST(Contiguous, CopiesOnlyWhatIsNotRowMajor) {
  const Tensor x = Counting({2, 3});
  EXPECT_TRUE(Contiguous(x).IsSameAs(x));
  const Tensor y = Contiguous(Transpose(x, 0, 1));
  EXPECT_TRUE(y.IsContiguous());
  EXPECT_THAT(y.ToVector<float>(), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_FALSE(SharesElements(Clone(x), x));
}

TEST(Clone, OfSwappedDimensionsIsRowMajor) {
  const Tensor x = Counting({2, 5, 3, 4});
  for (const auto& [a, b] : {std::pair(1, 2), std::pair(2, 3), std::pair(0, 1), std::pair(1, 3)}) {
    const Tensor y = Transpose(x, a, b);
    const Tensor clone = Clone(y);
    EXPECT_TRUE(clone.IsContiguous());
    EXPECT_EQ(clone.ToVector<float>(), y.ToVector<float>()) << a << " and " << b;
  }
}

TEST(Alias, IsAResultOfItsOwn) {
  Tensor x = Counting({2});
  x.SetRequiresGrad(true);
  const Tensor y = Alias(x);
  EXPECT_TRUE(SharesElements(x, y));
  EXPECT_FALSE(y.is_leaf());
  EXPECT_FALSE(Detach(y).requires_grad());
}

TEST(PadSlice, IsTheInverseOfSlice) {
  const Tensor x = Counting({2, 2});
  EXPECT_THAT(PadSlice(x, {2, 5}, 1, 1, 2).ToVector<float>(),
              ElementsAre(0, 0, 0, 1, 0, 0, 2, 0, 3, 0));
  EXPECT_THAT(ErrorOf([&] { PadSlice(x, {2, 3}, 1, 2); }), HasSubstr("within the size 3"));
  EXPECT_THAT(ErrorOf([&] { PadSlice(x, {3, 3}, 1, 0); }), HasSubstr("but for dimension 1"));
}

TEST(Triangle, KeepsOneSideOfADiagonal) {
  const Tensor x = Reshape(Slice(Counting({7}), 0, 1), {2, 3});
  EXPECT_THAT(Tril(x).ToVector<float>(), ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(Tril(x, -5).ToVector<float>(), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(Triu(x, 1).ToVector<float>(), ElementsAre(0, 2, 3, 0, 0, 6));
  EXPECT_THAT(Triu(x, -9).ToVector<float>(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(ErrorOf([] { Tril(Counting({3})); }), HasSubstr("[tril] x"));
}

TEST(Triangle, OverwritesAMatrixThatWasGivenUp) {
  Tensor x = Counting({2, 2});
  const void* memory = x.raw_data();
  const Tensor y = Triu(std::move(x));
  EXPECT_EQ(y.raw_data(), memory);
  EXPECT_THAT(y.ToVector<float>(), ElementsAre(0, 1, 0, 3));
}

TEST(Views, OfUndefinedTensorsAreErrors) {
  EXPECT_THAT(ErrorOf([] { Reshape(Tensor(), {1}); }),
              HasSubstr("[reshape] x: the tensor is undefined"));
}

}  // namespace
}  // namespace lemma
