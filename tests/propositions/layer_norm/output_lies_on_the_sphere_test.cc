#include <cmath>
#include <iostream>
#include <vector>

#include "autograd/ops/reduce.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/layer_norm/norms.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"
#include "tests/propositions/spread.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "LayerNorm's output lies on the sphere of radius sqrt(d).",
     .source = "Step 5, LayerNorm geometry; Lecture 5, Proposition 4.2",
     .exact = "only for variances far above eps: the radius is sqrt(d / (1 + eps / variance)). For "
              "variances from 3 the shortfall is below 3e-5 (d = 128), rounding included"});

constexpr uint64_t kSeed = 43;
constexpr double kWidth = 128;

std::vector<Measurement> Radii(const Norm& norm) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  const Tensor u = HealthyRows(1000, 128, generator);
  const Spread variances = SpreadOf(Doubles(Var(u, {-1}, 0)));
  const Spread radii = SpreadOf(Doubles(lemma::Norm(norm(u), 2, {-1})));
  return {AtLeast("smallest variance of a row", variances.smallest, 3),
          AtMost("largest radius - sqrt(128)", radii.largest - std::sqrt(kWidth), 1e-5),
          AtLeast("smallest radius - sqrt(128)", radii.smallest - std::sqrt(kWidth), -3e-5)};
}

TEST(Sphere, HoldsTheOutput) { ExpectHolds(Radii(Standardised)); }

// The variance with d - 1 gives the radius sqrt(d - 1), which is smaller by 0.044.
TEST(Sphere, GoesRedWithTheUnbiasedVariance) { ExpectBroken(Radii(WrittenOut(kEps, 1))); }
TEST(Sphere, GoesRedWithoutTheScaling) { ExpectBroken(Radii(Centred)); }

}  // namespace
}  // namespace lemma::propositions
