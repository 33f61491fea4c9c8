#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/triangle.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "Every weight that the mask allows is strictly positive, and the first row of A is "
         "(1, 0, ..., 0).",
     .source = "Step 4, Corollary 3.3",
     .exact =
         "the first row exactly; positive as long as exp does not underflow: a weight is exactly "
         "0 where its score lies more than 103.97 (float32) or 745.13 (float64) below the "
         "row's largest"});

// With n scores in [low, high] each weight is at least exp(low - high) / n; the least of
// weight / that bound over the row. 1 only where all but one score are `high`.
double RowOverBound(const double* weights, const double* scores, int64_t n) {
  const auto [low, high] = std::minmax_element(scores, scores + n);
  return *std::min_element(weights, weights + n) * static_cast<double>(n) / std::exp(*low - *high);
}

std::vector<Measurement> AllowedArePositive(const HeadFunction& weights) {
  double course = INFINITY, over_bound = INFINITY;
  int64_t wrong_first = 0;
  for (const Case& c : Cases()) {
    Example e(c);
    const std::vector<double> a = Doubles(weights(e.head, e.x));
    const std::vector<double> scores = Doubles(e.head.Scores(e.x));
    for (size_t row = 0; row < a.size() / c.time; ++row) {
      const int64_t i = row % c.time;
      const double* of_row = &a[row * c.time];
      over_bound =
          SmallerOf(over_bound, RowOverBound(of_row, &scores[row * c.time % scores.size()], i + 1));
      if (c.seed == 0) course = SmallerOf(course, *std::min_element(of_row, of_row + i + 1));
      for (int64_t j = 0; i == 0 && j < c.time; ++j) wrong_first += of_row[j] != (j == 0);
    }
  }
  return {AtLeast("smallest allowed weight, the course's head", course,
                  std::numeric_limits<float>::denorm_min()),
          AtMost("largest part by which a weight of row i falls below exp(least - largest score) / "
                 "i, all heads",
                 1 - over_bound, 1e-5),
          Exactly("elements of first rows that differ from (1, 0, ..., 0)", wrong_first, 0)};
}

// The weight of a key whose score lies `gap` below that of the only other one.
double WeightBelow(double gap, DType dtype) {
  const Tensor q = Ones({1, 1}, dtype), k = Cast(FromValues<double>({0, gap}, {2, 1}), dtype);
  Tensor a;
  AttentionDefinition(q, k, k, {.scale = 1.0}, &a);
  return Doubles(a)[0];
}

TEST(AllowedWeights, AreStrictlyPositive) { ExpectHolds(AllowedArePositive(Weights)); }

TEST(AllowedWeights, UnderflowFarBelowTheLargestScore) {
  ExpectHolds(
      {AtLeast("weight of a score 87 below, float32", WeightBelow(87, DType::kFloat32),
               std::numeric_limits<float>::min()),
       Exactly("weight of a score 88 below, float32", WeightBelow(88, DType::kFloat32), 0),
       AtLeast("weight of a score 700 below, float64", WeightBelow(700, DType::kFloat64),
               0.999 * std::exp(-700)),
       Exactly("weight of a score 746 below, float64", WeightBelow(746, DType::kFloat64), 0)});
}

TEST(AllowedWeights, GoesRedWithoutTheMask) { ExpectBroken(AllowedArePositive(UnmaskedWeights)); }

// A window of 4 keys: weights that the causal mask allows are 0.
TEST(AllowedWeights, GoesRedWithAWindow) {
  ExpectBroken(AllowedArePositive([](Head& head, const Tensor& x) {
    Tensor a;
    head.Define(x, {.causal = true, .mask = Triu(Ones({x.size(1), x.size(1)}, DType::kBool), -3)},
                &a);
    return a;
  }));
}

TEST(AllowedWeights, GoesRedWithScoresThatUnderflow) {
  ExpectBroken(AllowedArePositive([](Head& head, const Tensor& x) {
    Tensor a;
    head.Define(x, {.causal = true, .scale = 1e4}, &a);
    return a;
  }));
}

}  // namespace
}  // namespace lemma::propositions
