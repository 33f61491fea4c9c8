#include "autograd/ops/pow.h"

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsNan;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Pow, AgreesWithDoubleMathForEveryExponent) {
  const std::vector<double> values = {0.25, 1, 1.5, 3, 10};
  const Tensor x = FromVector(values, {5});
  for (double exponent : {-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 2.7}) {
    const std::vector<double> y = Pow(x, exponent).ToVector<double>();
    const std::vector<double> z = Pow(exponent == 0 ? 1 : std::abs(exponent), x).ToVector<double>();
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_THAT(y[i], DoubleNear(std::pow(values[i], exponent), 1e-12 * y[i]));
      const double base = exponent == 0 ? 1 : std::abs(exponent);
      EXPECT_THAT(z[i], DoubleNear(std::pow(base, values[i]), 1e-12 * z[i]));
    }
  }
}

TEST(Pow, SpecialPointsAreThoseOfC) {
  EXPECT_THAT(Pow(FromValues<double>({0, kNaN, -2, -2}), FromValues<double>({0, 0, 3, 0.5}))
                  .ToVector<double>(),
              ElementsAre(1, 1, -8, IsNan()));
  EXPECT_THAT(Pow(FromValues<double>({0, kInf}), -1).ToVector<double>(), ElementsAre(kInf, 0));
}

TEST(Pow, GradientsHaveNoNaNWhereTheBaseIsZero) {
  Tensor a = FromValues<double>({0, 0, 0, 2, -3}).SetRequiresGrad(true);
  Tensor b = FromValues<double>({0, 1, 2, 0, 2}).SetRequiresGrad(true);
  const Tensor dy = Ones({5}, DType::kFloat64);
  const auto d = Grad({Pow(a, b)}, {a, b}, {.grad_outputs = {dy}});
  EXPECT_THAT(d[0].ToVector<double>(), ElementsAre(0, 1, 0, 0, -6));
  EXPECT_THAT(d[1].ToVector<double>(), ElementsAre(0, 0, 0, std::log(2.0), IsNan()));
  EXPECT_THAT(Grad({Pow(a, 0)}, {a}, {.grad_outputs = {dy}})[0].ToVector<double>(),
              ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(Grad({Pow(0, b)}, {b}, {.grad_outputs = {dy}})[0].ToVector<double>(),
              ElementsAre(0, 0, 0, 0, 0));
}

TEST(Pow, RefusesIntegers) { EXPECT_THROW(Pow(Ones({2}, DType::kInt64), 2), Error); }

}  // namespace
}  // namespace lemma
