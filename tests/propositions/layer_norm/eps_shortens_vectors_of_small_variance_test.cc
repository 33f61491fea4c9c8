#include <cmath>
#include <iostream>
#include <vector>

#include "absl/strings/str_format.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/layer_norm/norms.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The caveat that the clean theorem hides: eps = 1e-5 shortens LayerNorm's output "
                  "to sqrt(d) / sqrt(1 + eps / variance). At variance eps it is shorter by the "
                  "factor sqrt(1/2), a constant row becomes 0, and the course's tolerance of 0.001 "
                  "(d = 128) fails below variance 0.0565.",
     .source = "Step 5, LayerNorm geometry, the caveat",
     .exact = "the curve up to rounding; 0 for a constant row is exact"});

constexpr uint64_t kSeed = 45;
constexpr int64_t kWidth = 128;

// One row of variance 1, in float64.
Tensor UnitRow() {
  Generator generator(kSeed);
  return WrittenOut(0)(RandN({1, kWidth}, generator, DType::kFloat64));
}

// |norm(u)| / sqrt(d) for the row scaled to a variance.
double RelativeRadius(const Norm& norm, const Tensor& unit, double variance) {
  return EuclideanNorm(norm(unit * std::sqrt(variance))) / std::sqrt(kWidth);
}

// Below which variance the output is shorter than sqrt(d) by more than `tolerance`.
double VarianceOfFailure(const Norm& norm, const Tensor& unit, double tolerance) {
  double low = 1e-9, high = 1e3;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    const double shortfall = std::sqrt(kWidth) * (1 - RelativeRadius(norm, unit, middle));
    (shortfall > tolerance ? low : high) = middle;
  }
  return high;
}

std::vector<Measurement> Curve(const Norm& norm) {
  std::cout << "seed " << kSeed << '\n';
  const Tensor unit = UnitRow();
  std::vector<Measurement> curve;
  for (int exponent = -9; exponent <= 2; ++exponent) {
    const double variance = std::pow(10, exponent);
    const double expected = 1 / std::sqrt(1 + kEps / variance);
    curve.push_back(Between(absl::StrFormat("radius / sqrt(d) at variance 1e%d", exponent),
                            expected - 1e-9, RelativeRadius(norm, unit, variance),
                            expected + 1e-9));
  }
  const double shortfall = 0.001 / std::sqrt(kWidth);
  const double failure = kEps / (1 / std::pow(1 - shortfall, 2) - 1);
  curve.push_back(Between("variance below which the radius is short by 0.001", 0.9999 * failure,
                          VarianceOfFailure(norm, unit, 0.001), 1.0001 * failure));
  // The course's experiment: a row of variance 25, times 0.001.
  const Tensor row = unit * 5.0;
  curve.push_back(AtLeast("largest |LN(0.001 u) - LN(u)|, u of variance 25",
                          LargestDifference(norm(row * 0.001), norm(row)), 0.1));
  curve.push_back(Exactly("largest entry of a constant row's output",
                          LargestMagnitude(norm(Full({1, kWidth}, 3, DType::kFloat64))), 0));
  return curve;
}

TEST(EpsCaveat, FollowsTheCurve) { ExpectHolds(Curve(Standardised)); }

TEST(EpsCaveat, GoesRedWithoutEps) { ExpectBroken(Curve(WrittenOut(0))); }
TEST(EpsCaveat, GoesRedWithEpsOutsideTheRoot) { ExpectBroken(Curve(EpsOutsideTheRoot)); }

}  // namespace
}  // namespace lemma::propositions
