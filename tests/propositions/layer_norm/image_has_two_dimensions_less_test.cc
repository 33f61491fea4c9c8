#include <cmath>
#include <iostream>
#include <vector>

#include "autograd/functional.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/layer_norm/norms.h"
#include "tests/propositions/proposition.h"
#include "tests/propositions/singular_values.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "LayerNorm's image is a (d - 2)-sphere: its Jacobian has d - 2 singular values "
                  "1 / sqrt(variance + eps); the direction (1, ..., 1) is lost, and that of u all "
                  "but for the share eps / (variance + eps).",
     .source = "Step 5, LayerNorm geometry; Lecture 5, Proposition 4.2",
     .exact =
         "up to rounding of float64; the lost direction of u only for variance far above eps"});

constexpr uint64_t kSeed = 46;
constexpr int64_t kWidth = 24;

std::vector<Measurement> Image(const Norm& norm) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  const Tensor u = HealthyRows(1, kWidth, generator, DType::kFloat64);
  const double variance = Var(u, {-1}, 0).Item();
  std::vector<double> values = SingularValues(Reshape(Jacobian(norm, u), {kWidth, kWidth}));
  for (double& value : values) value *= std::sqrt(variance + kEps);
  const double share = kEps / (variance + kEps);
  return {
      AtMost("largest singular value x sqrt(variance + eps) - 1", values[0] - 1, 1e-12),
      AtLeast("smallest but two - 1", values[kWidth - 3] - 1, -1e-12),
      Between("smallest but one, over eps / (variance + eps)", 0.999, values[kWidth - 2] / share,
              1.001),
      AtMost("smallest", values[kWidth - 1], 1e-12),
  };
}

TEST(Image, HasTwoDimensionsLess) { ExpectHolds(Image(Standardised)); }

TEST(Image, GoesRedForRmsNormWhichLosesOne) { ExpectBroken(Image(RmsNorm)); }
TEST(Image, GoesRedWithoutTheScaling) { ExpectBroken(Image(Centred)); }

}  // namespace
}  // namespace lemma::propositions
