#include "autograd/ops/extremes.h"

#include <cmath>
#include <cstdint>
#include <string>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/sum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Fn>
std::string ErrorOf(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Max, NamesTheFirstOfEqualElements) {
  const Tensor x = FromValues<float>({1, 3, 3, 2, 0, 2}, {2, 3});
  const auto [values, indices] = Max(x, 1);
  EXPECT_THAT(values.ToVector<float>(), ElementsAre(3, 2));
  EXPECT_THAT(indices.ToVector<int64_t>(), ElementsAre(1, 0));
  EXPECT_EQ(Max(x, 0, true).values.shape(), (Shape{1, 3}));
  EXPECT_THAT(Max(x, 0).indices.ToVector<int64_t>(), ElementsAre(1, 0, 0));
  EXPECT_THAT(Min(x, 1).indices.ToVector<int64_t>(), ElementsAre(0, 1));
  EXPECT_THAT(Min(Transpose(x, 0, 1), 0).values.ToVector<float>(), ElementsAre(1, 0));
}

TEST(Max, ReturnsTheFirstNan) {
  const Tensor x = FromValues<float>({1, NAN, INFINITY, NAN});
  EXPECT_TRUE(std::isnan(Max(x, 0).values.Item()));
  EXPECT_EQ(ArgMax(x).Item(), 1);
  EXPECT_EQ(ArgMin(x).Item(), 1);
  EXPECT_TRUE(std::isnan(AMin(x).Item()));
}

TEST(Max, OfAScalarIsTheScalar) {
  const auto [values, indices] = Max(Scalar(4), -1);
  EXPECT_EQ(values.shape(), Shape());
  EXPECT_EQ(values.Item(), 4);
  EXPECT_EQ(indices.Item(), 0);
  EXPECT_EQ(ArgMax(Scalar(4)).shape(), Shape());
}

TEST(Max, OfIntegersAndBools) {
  EXPECT_EQ(Max(FromValues<int64_t>({-5, -7})).Item(), -5);
  EXPECT_EQ(AMin(FromValues<bool>({true, false, true})).Item(), 0);
  EXPECT_EQ(AMax(FromValues<bool>({false, true}, {2, 1}), {0, 1}).Item(), 1);
}

TEST(Max, OfNothingIsAnError) {
  EXPECT_THAT(ErrorOf([] { Max(Zeros({2, 0}), 1); }), HasSubstr("[max] x: no elements"));
  EXPECT_THAT(ErrorOf([] { AMin(Zeros({0})); }), HasSubstr("[amin] x: no elements"));
  EXPECT_THAT(ErrorOf([] { ArgMax(Zeros({0, 2})); }), HasSubstr("[argmax] x: no elements"));
  EXPECT_EQ(Max(Zeros({0, 2}), 1).values.shape(), (Shape{0}));
}

TEST(Max, GivesItsGradientToTheNamedElementAndAMaxToAllEqualOnes) {
  Tensor x = FromValues<double>({3, 1, 3});
  x.SetRequiresGrad(true);
  Backward(Max(x, 0).values);
  EXPECT_THAT(x.grad().ToVector<double>(), ElementsAre(1, 0, 0));
  x.SetGrad(Tensor());
  Backward(Max(x));
  EXPECT_THAT(x.grad().ToVector<double>(), ElementsAre(0.5, 0, 0.5));
}

TEST(AMax, WorksOverManyColumnsAndDimensions) {
  const Tensor x = Reshape(Arange(2 * 3 * 300), {2, 3, 300});
  EXPECT_EQ(AMax(x, {0, 1}).ToVector<int64_t>(), Arange(1500, 1800).ToVector<int64_t>());
  EXPECT_THAT(AMax(x, {0, 2}).ToVector<int64_t>(), ElementsAre(1199, 1499, 1799));
  EXPECT_THAT(AMin(x, {0, 2}, true).ToVector<int64_t>(), ElementsAre(0, 300, 600));
}

TEST(TopK, OrdersByValueThenByPlace) {
  const Tensor x = FromValues<float>({2, 5, 2, 5, 1});
  EXPECT_THAT(TopK(x, 3).values.ToVector<float>(), ElementsAre(5, 5, 2));
  EXPECT_THAT(TopK(x, 3).indices.ToVector<int64_t>(), ElementsAre(1, 3, 0));
  EXPECT_THAT(TopK(x, 3, 0, /*largest=*/false).indices.ToVector<int64_t>(), ElementsAre(4, 0, 2));
  EXPECT_THAT(TopK(x, 3, 0, true, /*sorted=*/false).indices.ToVector<int64_t>(),
              ElementsAre(0, 1, 3));
  EXPECT_EQ(TopK(x, 0).values.numel(), 0);
  EXPECT_THAT(ErrorOf([&] { TopK(x, 6); }), HasSubstr("[topk] k: 6 is not in [0, 5]"));
}

TEST(TopK, TakesNanForTheGreatest) {
  const Tensor x = FromValues<float>({2, NAN, INFINITY});
  EXPECT_THAT(TopK(x, 2).indices.ToVector<int64_t>(), ElementsAre(1, 2));
  EXPECT_THAT(TopK(x, 2, 0, false).indices.ToVector<int64_t>(), ElementsAre(0, 2));
}

TEST(TopK, WorksAlongAnyDimension) {
  Tensor x = FromValues<double>({1, 6, 3, 4, 5, 2}, {3, 2});
  x.SetRequiresGrad(true);
  const auto [values, indices] = TopK(x, 2, 0);
  EXPECT_THAT(values.ToVector<double>(), ElementsAre(5, 6, 3, 4));
  EXPECT_THAT(indices.ToVector<int64_t>(), ElementsAre(2, 0, 1, 1));
  Backward(Sum(values));
  EXPECT_THAT(x.grad().ToVector<double>(), ElementsAre(0, 1, 1, 1, 1, 0));
}

}  // namespace
}  // namespace lemma
