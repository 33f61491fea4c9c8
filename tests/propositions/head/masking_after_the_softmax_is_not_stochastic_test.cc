#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/masked_softmax.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Masking after the softmax is not stochastic: row i sums to the part of its mass "
                  "that lies on keys j <= i, below 1 in every row but the last.",
     .source = "Step 4, Exercise 4",
     .exact = "the inequality strictly; the sum up to rounding, against sums of exp in float64"});

constexpr uint64_t kSeed = 41;

// Of scores in [-4, 4]: a key that is hidden takes at least exp(-8) / T.
std::vector<Measurement> RowsLoseTheirHiddenMass(const MaskedSoftmax& softmax) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  double deficit = INFINITY, distance = 0;
  for (int64_t time = 2; time <= 16; ++time) {
    const Tensor scores = Rand({time, time}, generator) * 8.0 - 4.0;
    const std::vector<double> a = Doubles(softmax(scores)), s = Doubles(scores);
    for (int64_t i = 0; i < time; ++i) {
      double sum = 0, visible = 0, all = 0;
      for (int64_t j = 0; j < time; ++j) {
        const double e = std::exp(s[i * time + j]);
        sum += a[i * time + j];
        all += e;
        if (j <= i) visible += e;
      }
      if (i < time - 1) deficit = SmallerOf(deficit, 1 - sum);
      distance = LargerOf(distance, std::abs(sum - visible / all));
    }
  }
  return {AtLeast("least 1 - row sum above the last row, T = 2..16", deficit, std::exp(-8) / 16),
          AtMost("largest |row sum - its mass on j <= i|", distance, 1e-6)};
}

TEST(MaskingAfter, IsNotStochastic) { ExpectHolds(RowsLoseTheirHiddenMass(MaskAfter)); }

TEST(MaskingAfter, GoesRedWithTheMaskBefore) { ExpectBroken(RowsLoseTheirHiddenMass(MaskBefore)); }

TEST(MaskingAfter, GoesRedWhereRowsAreRenormalised) {
  ExpectBroken(RowsLoseTheirHiddenMass(MaskAfterRenormalised));
}

}  // namespace
}  // namespace lemma::propositions
