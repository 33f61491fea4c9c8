#include <iostream>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/layer_norm/norms.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "LayerNorm projects onto the complement of (1, ..., 1): its output has mean 0, "
                  "and LN(u + c 1) = LN(u) = LN(P u), where P = I - 1 1^T / d.",
     .source = "Step 5, LayerNorm geometry; Lecture 5, Proposition 4.2",
     .exact = "up to rounding of float32, whatever the variance: eps plays no part. A shift by c "
              "costs the digits that u + c loses, some c times 2^-24"});

constexpr uint64_t kSeed = 42;
constexpr int64_t kWidth = 128;

std::vector<Measurement> ProjectsOntoMeanZero(const Norm& norm) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  const Tensor u = HealthyRows(1000, kWidth, generator);
  const Tensor projection = Eye(kWidth) - Full({kWidth, kWidth}, 1.0 / kWidth);
  const Tensor y = norm(u);
  return {
      AtMost("largest |mean| of an output row", LargestMagnitude(Mean(y, {-1})), 1e-6),
      AtMost("of an output row of variance 1e-5", LargestMagnitude(Mean(norm(u * 6e-4), {-1})),
             1e-6),
      AtMost("largest distance of LN(u + 10) from LN(u)", LargestDifference(norm(u + 10.0), y),
             1e-5),
      AtMost("largest distance of LN(P u) from LN(u)",
             LargestDifference(norm(MatMul(u, projection)), y), 1e-5),
  };
}

TEST(Projection, Holds) { ExpectHolds(ProjectsOntoMeanZero(Standardised)); }
TEST(Projection, GoesRedForRmsNorm) { ExpectBroken(ProjectsOntoMeanZero(RmsNorm)); }

}  // namespace
}  // namespace lemma::propositions
