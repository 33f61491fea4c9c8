#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/join.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/masked_softmax.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "Masking after the softmax and renormalising the rows equals masking before it in "
         "exact arithmetic, and is told from it by the bitwise test: other scores at "
         "position 5 change bits of rows 0..4.",
     .source = "Step 4, Exercise 4",
     .exact = "equal up to rounding: the distance shrinks with u from float32 to float64. A hidden "
              "score 88 above the visible ones makes the row 0 / 0, which exact arithmetic does "
              "not know"});

constexpr uint64_t kSeed = 42;

// The largest distance from masking before, in u, over T = 2..16. Each weight is a quotient of
// exps and of sums of at most T terms.
double DistanceInRoundings(const MaskedSoftmax& softmax, DType dtype) {
  Generator generator(kSeed);
  double distance = 0;
  for (int64_t time = 2; time <= 16; ++time) {
    const Tensor scores = RandN({time, time}, generator, dtype);
    const double d = LargestDifference(softmax(scores), MaskBefore(scores));
    distance = LargerOf(distance, d / Roundoff(dtype));
    if (std::isnan(d)) return d;
  }
  return distance;
}

// Rows 0..4 of 100 matrices of 8 x 8 scores, before and after column 5 has changed.
int64_t BitsChangedByTheFuture(const MaskedSoftmax& softmax) {
  Generator generator(kSeed);
  int64_t bits = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Tensor s = RandN({8, 8}, generator);
    const Tensor other = Concat({Slice(s, 1, 0, 5), RandN({8, 1}, generator), Slice(s, 1, 6)}, 1);
    bits += CountDifferentBits(Slice(softmax(s), 0, 0, 5), Slice(softmax(other), 0, 0, 5));
  }
  return bits;
}

std::vector<Measurement> RightUpToRounding(const MaskedSoftmax& softmax) {
  std::cout << "seed " << kSeed << '\n';
  return {
      AtMost("largest distance from masking before, in u = 2^-24, float32",
             DistanceInRoundings(softmax, DType::kFloat32), 40),
      AtMost("the same in u = 2^-53, float64", DistanceInRoundings(softmax, DType::kFloat64), 40),
      AtLeast("weights of rows 0..4 that change in a bit with the scores at 5, of 1500",
              static_cast<double>(BitsChangedByTheFuture(softmax)), 100)};
}

TEST(Renormalising, IsRightUpToRounding) { ExpectHolds(RightUpToRounding(MaskAfterRenormalised)); }

TEST(Renormalising, IsNotWhatMaskingBeforeDoes) {
  ExpectHolds(Exactly("the same count of masking before",
                      static_cast<double>(BitsChangedByTheFuture(MaskBefore)), 0));
}

TEST(Renormalising, FailsWhereAHiddenScoreIsLarge) {
  Tensor scores = FromValues<float>({0, 88, 1, 2}, {2, 2});
  ExpectHolds({Exactly("mass left of row 0, a hidden score 88 above, float32",
                       Doubles(MaskAfter(scores))[0], 0),
               Exactly("rows that are then NaN",
                       CountNonZero(LogicalNot(IsFinite(MaskAfterRenormalised(scores)))) / 2, 1),
               Exactly("weight of row 0 with masking before", Doubles(MaskBefore(scores))[0], 1)});
}

TEST(Renormalising, GoesRedWithoutIt) { ExpectBroken(RightUpToRounding(MaskAfter)); }

TEST(Renormalising, GoesRedWithTheMaskBefore) { ExpectBroken(RightUpToRounding(MaskBefore)); }

}  // namespace
}  // namespace lemma::propositions
