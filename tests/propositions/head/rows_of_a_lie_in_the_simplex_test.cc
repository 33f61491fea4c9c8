#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/ops/softmax.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Every row of A lies in the simplex: its weights are non-negative and sum to 1.",
     .source = "Step 4, Proposition 3.1",
     .exact =
         "non-negative exactly; the sum up to the rounding of T + 1 operations, each at most u, "
         "in float32 (u = 2^-24) as in float64 (u = 2^-53)"});

// The largest |sum - 1| of a row of a (..., T). Summed in long double: the distance is a's own.
double LargestSumError(const Tensor& a) {
  const std::vector<double> weights = Doubles(a);
  double largest = 0;
  for (size_t row = 0; row < weights.size(); row += a.size(-1)) {
    long double sum = 0;
    for (int64_t j = 0; j < a.size(-1); ++j) sum += weights[row + j];
    largest = LargerOf(largest, static_cast<double>(std::abs(sum - 1)));
  }
  return largest;
}

// A sum of T positive terms has a relative error of at most (T - 1) u, the quotient adds 2 u; one
// more for what is of second order.
double Bound(int64_t time, DType dtype) { return (time + 2) * Roundoff(dtype); }

std::vector<Measurement> RowsInTheSimplex(const std::string& mask, const HeadFunction& weights) {
  double smallest = INFINITY, course = 0, relative[2] = {0, 0};
  for (const Case& c : Cases()) {
    for (DType dtype : {DType::kFloat32, DType::kFloat64}) {
      Example e(c, dtype);
      const Tensor a = weights(e.head, e.x);
      const double error = LargestSumError(a);
      const bool is_double = dtype == DType::kFloat64;
      smallest = SmallerOf(smallest, Smallest(a));
      if (c.seed == 0 && !is_double) course = error;
      relative[is_double] = LargerOf(relative[is_double], error / Bound(c.time, dtype));
    }
  }
  return {AtLeast("smallest weight, " + mask, smallest, 0),
          AtMost("largest |row sum - 1|, the course's head, " + mask, course,
                 Bound(8, DType::kFloat32)),
          AtMost("largest |row sum - 1| / ((T + 2) u), all heads, float32", relative[0], 1),
          AtMost("the same in float64", relative[1], 1)};
}

TEST(RowsOfA, LieInTheSimplex) { ExpectHolds(RowsInTheSimplex("causal", Weights)); }

TEST(RowsOfA, LieInItWithoutTheMask) { ExpectHolds(RowsInTheSimplex("no mask", UnmaskedWeights)); }

TEST(RowsOfA, GoesRedWithoutTheSoftmax) {
  ExpectBroken(
      RowsInTheSimplex("causal", [](Head& head, const Tensor& x) { return head.Scores(x); }));
}

TEST(RowsOfA, GoesRedWithTheSoftmaxOverTheQueries) {
  ExpectBroken(RowsInTheSimplex(
      "causal", [](Head& head, const Tensor& x) { return Softmax(head.Scores(x), 1); }));
}

}  // namespace
}  // namespace lemma::propositions
