#include "autograd/ops/index.h"

#include <cstdint>
#include <string>
#include <utility>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/sum.h"
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

TEST(IndexSelect, WorksAlongAnyDimension) {
  const Tensor x = Counting({2, 3});
  EXPECT_THAT(IndexSelect(x, 0, FromValues<int64_t>({1, 1})).ToVector<float>(),
              ElementsAre(3, 4, 5, 3, 4, 5));
  EXPECT_THAT(IndexSelect(x, -1, FromValues<int64_t>({2, 0})).ToVector<float>(),
              ElementsAre(2, 0, 5, 3));
  EXPECT_EQ(IndexSelect(x, 0, FromValues<int64_t>({})).shape(), (Shape{0, 3}));
}

TEST(IndexSelect, AddsTheGradientsOfARowThatIsTakenTwice) {
  Tensor x = Counting({3, 1}, DType::kFloat64);
  x.SetRequiresGrad(true);
  const Tensor y = IndexSelect(x, 0, FromValues<int64_t>({2, 0, 2}));
  Backward(Sum(y * FromValues<double>({1, 10, 100}, {3, 1})));
  EXPECT_THAT(x.grad().ToVector<double>(), ElementsAre(10, 0, 101));
}

TEST(Index, OutOfRangeIsNamedWithItsPlace) {
  const Tensor index = FromValues<int64_t>({0, 1, 2, 70}, {2, 2});
  EXPECT_EQ(ErrorOf([&] {
              Embedding(index, Zeros({65, 4}));
            }),
            "[embedding] index: 70 at (1, 1) is not in [0, 65)");
  EXPECT_EQ(ErrorOf([&] {
              Gather(Zeros({2, 3}), 1, FromValues<int64_t>({-1}, {1, 1}));
            }),
            "[gather] index: -1 at (0, 0) is not in [0, 3)");
  EXPECT_EQ(ErrorOf([] { OneHot(FromValues<int64_t>({3}), 3); }),
            "[one_hot] index: 3 at (0,) is not in [0, 3)");
  EXPECT_THAT(ErrorOf([] { IndexSelect(Zeros({2}), 0, Zeros({1})); }), HasSubstr("int64"));
}

TEST(Embedding, GivesThePaddingRowNoGradient) {
  Tensor weight = Counting({3, 2}, DType::kFloat64);
  weight.SetRequiresGrad(true);
  const Tensor index = FromValues<int64_t>({0, 2, 2, 1}, {2, 2});
  const Tensor y = Embedding(index, weight, -1);
  EXPECT_EQ(y.shape(), (Shape{2, 2, 2}));
  EXPECT_THAT(y.ToVector<double>(), ElementsAre(0, 1, 4, 5, 4, 5, 2, 3));
  Backward(Sum(y));
  EXPECT_THAT(weight.grad().ToVector<double>(), ElementsAre(1, 1, 1, 1, 0, 0));
  EXPECT_THAT(ErrorOf([&] { Embedding(index, weight, 3); }),
              HasSubstr("padding_idx: 3 is not in [-3, 3)"));
}

TEST(Gather, ReadsViewsAtTheirStrides) {
  const Tensor x = Transpose(Counting({3, 2}), 0, 1);
  const Tensor index = FromValues<int64_t>({2, 0}, {2, 1});
  EXPECT_THAT(Gather(x, 1, index).ToVector<float>(), ElementsAre(4, 1));
  EXPECT_THAT(ErrorOf([&] {
                Gather(x, 1, FromValues<int64_t>({0, 0, 0}, {3, 1}));
              }),
              HasSubstr("can't be larger than x but along dimension 1"));
}

TEST(ScatterAdd, LeavesOutWhatLiesBeyondTheIndex) {
  Tensor src = Counting({2, 3}, DType::kFloat64);
  src.SetRequiresGrad(true);
  const Tensor index = FromValues<int64_t>({1, 1, 0, 1}, {2, 2});
  const Tensor y = ScatterAdd(Zeros({2, 2}, DType::kFloat64), 1, index, src);
  EXPECT_THAT(y.ToVector<double>(), ElementsAre(0, 1, 3, 4));
  Backward(Sum(y));
  EXPECT_THAT(src.grad().ToVector<double>(), ElementsAre(1, 1, 0, 1, 1, 0));
}

TEST(ScatterAdd, KeepsAnXThatSomeoneElseHolds) {
  const Tensor x = Zeros({2});
  const Tensor y = ScatterAdd(x, 0, FromValues<int64_t>({0, 0}), FromValues<float>({1, 2}));
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(0, 0));
  EXPECT_THAT(y.ToVector<float>(), ElementsAre(3, 0));
  Tensor given = Zeros({2});
  const void* memory = given.raw_data();
  const Tensor z = ScatterAdd(std::move(given), 0, FromValues<int64_t>({1}), Ones({1}));
  EXPECT_EQ(z.raw_data(), memory);
}

TEST(IndexAdd, AddsRowsInPlaceAndNot) {
  Tensor x = Zeros({3, 2});
  const Tensor index = FromValues<int64_t>({2, 0, 2});
  const Tensor y = IndexAdd(x, 0, index, Counting({3, 2}));
  EXPECT_THAT(y.ToVector<float>(), ElementsAre(2, 3, 0, 0, 4, 6));
  IndexAddInPlace(x, index, Counting({3, 2}));
  EXPECT_EQ(x.ToVector<float>(), y.ToVector<float>());
  EXPECT_THAT(IndexAdd(Zeros({2, 3}), 1, index, Counting({2, 3})).ToVector<float>(),
              ElementsAre(1, 0, 2, 4, 0, 8));
  x.SetRequiresGrad(true);
  EXPECT_THAT(ErrorOf([&] {
                IndexAddInPlace(x, index, Counting({3, 2}));
              }),
              HasSubstr("put it under NoGrad"));
}

TEST(OneHot, HasALastDimensionMore) {
  const Tensor y = OneHot(FromValues<int64_t>({1, 0}), 3);
  EXPECT_EQ(y.dtype(), DType::kInt64);
  EXPECT_THAT(y.ToVector<int64_t>(), ElementsAre(0, 1, 0, 1, 0, 0));
  EXPECT_EQ(OneHot(FromValues<int64_t>({}, {0, 2}), 3, DType::kFloat32).shape(), (Shape{0, 2, 3}));
}

}  // namespace
}  // namespace lemma
