#include "autograd/ops/statistics.h"

#include <cmath>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/sum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::Each;
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

TEST(Var, KeepsItsDigitsFarFromZero) {
  const Tensor x = FromValues<float>({100001, 100002, 100003, 100004});
  EXPECT_FLOAT_EQ(static_cast<float>(Var(x).Item()), 5.0f / 3);
  EXPECT_EQ(Var(x, {0}, 0, true).Item(), 1.25);
}

TEST(Var, OfTooFewElementsIsNan) {
  EXPECT_TRUE(std::isnan(Var(FromValues<float>({3})).Item()));
  EXPECT_TRUE(std::isinf(Var(FromValues<float>({3, 4}), {}, 5).Item()));
}

TEST(Var, OfBFloat16IsRoundedOnce) {
  const Tensor x = FromValues<float>({256, 258, 260, 262});
  EXPECT_EQ(Var(Cast(x, DType::kBFloat16), {}, 0).Item(), 5);
}

TEST(Norm, OfEveryOrder) {
  const Tensor x = FromValues<double>({3, -4, 0});
  EXPECT_EQ(Norm(x).Item(), 5);
  EXPECT_EQ(Norm(x, 1).Item(), 7);
  EXPECT_EQ(Norm(x, 0).Item(), 2);
  EXPECT_EQ(Norm(x, INFINITY).Item(), 4);
  EXPECT_EQ(Norm(x, -INFINITY).Item(), 0);
  EXPECT_NEAR(Norm(x, 3).Item(), std::cbrt(91.0), 1e-12);
  EXPECT_EQ(Norm(Zeros({0})).Item(), 0);
  EXPECT_THAT(ErrorOf([] { Norm(Zeros({0}), INFINITY); }), HasSubstr("[norm] x: the norm of no"));
}

TEST(Norm, HasGradientZeroAtTheZeroVectorInBothOrders) {
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, double{INFINITY}}) {
    Tensor x = Zeros({3}, DType::kFloat64);
    x.SetRequiresGrad(true);
    const Tensor dx = Grad({Norm(x, p)}, {x}, {.create_graph = true})[0];
    EXPECT_THAT(dx.ToVector<double>(), Each(0.0)) << p;
    if (!dx.requires_grad()) continue;
    const Tensor again = Grad({Sum(dx)}, {x}, {.allow_unused = true})[0];
    if (again.defined()) {
      EXPECT_THAT(again.ToVector<double>(), Each(0.0)) << p;
    }
  }
}

TEST(LogSumExp, NeitherOverflowsNorMeetsInfinityMinusInfinity) {
  const Tensor x = FromValues<float>({1000, 1000, -INFINITY, -INFINITY, INFINITY, 1}, {3, 2});
  EXPECT_THAT(LogSumExp(x, {1}).ToVector<float>(),
              ElementsAre(1000 + std::log(2.0f), -INFINITY, INFINITY));
  EXPECT_EQ(LogSumExp(Zeros({2, 0}), {1}).ToVector<float>(), std::vector<float>(2, -INFINITY));
  EXPECT_THAT(ErrorOf([] { LogSumExp(Arange(3), {0}); }), HasSubstr("must be of a float type"));
}

TEST(LogSumExp, HasSoftmaxForItsGradient) {
  Tensor x = FromValues<double>({0, std::log(3.0)});
  x.SetRequiresGrad(true);
  Backward(LogSumExp(x, {0}));
  EXPECT_NEAR(x.grad().ToVector<double>()[0], 0.25, 1e-15);
  EXPECT_NEAR(x.grad().ToVector<double>()[1], 0.75, 1e-15);
}

}  // namespace
}  // namespace lemma
