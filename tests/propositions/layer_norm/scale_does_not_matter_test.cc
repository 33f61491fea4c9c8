#include <iostream>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/layer_norm/norms.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "LN(c u) = LN(u) for c > 0, and LN(-u) = -LN(u): sublayers see directions, not "
                  "magnitudes.",
     .source = "Step 5, LayerNorm geometry; Lecture 5, Proposition 4.2",
     .exact = "the sign is exact, bit for bit. The scale only where the variances of u and c u are "
              "far above eps: the two differ by the factor 1 + eps / (2 variance)"});

constexpr uint64_t kSeed = 44;

std::vector<Measurement> ScalesAndSigns(const Norm& norm) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  const Tensor u = HealthyRows(1000, 128, generator);
  const Tensor y = norm(u);
  double distance = 0;
  for (const double scale : {1.5, 3.7, 100.0, 12345.0}) {
    distance = LargerOf(distance, LargestDifference(norm(u * scale), y));
  }
  return {AtMost("largest |LN(c u) - LN(u)| for c = 1.5, 3.7, 100, 12345", distance, 1e-5),
          Exactly("elements of LN(-u) that are not -LN(u)",
                  static_cast<double>(CountDifferentBits(norm(-u), -y)), 0)};
}

TEST(Scale, DoesNotMatter) { ExpectHolds(ScalesAndSigns(Standardised)); }

TEST(Scale, GoesRedWithoutTheScaling) { ExpectBroken(ScalesAndSigns(Centred)); }

// An eps that is not far below the variances.
TEST(Scale, GoesRedWithALargeEps) { ExpectBroken(ScalesAndSigns(WrittenOut(0.1))); }

}  // namespace
}  // namespace lemma::propositions
