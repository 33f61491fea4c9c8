#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "gtest/gtest.h"
#include "nn/init.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "With W_Q = W_K = 0 the causal head is the running mean of the values, and A_ij = 1 "
         "/ i for j <= i, i from 1; W_Q = 0 alone does it too.",
     .source = "Step 4, section 4.5",
     .exact = "up to the rounding of 1 / i and of the sum"});

using Change = std::function<void(Head& head)>;

// The mean of v_0 .. v_i at each i, in float64.
Tensor RunningMean(const Tensor& v) {
  const Tensor counts =
      Unsqueeze(Arange(1, static_cast<double>(v.size(1) + 1), 1, DType::kFloat64), 1);  // (T, 1)
  return CumSum(Cast(v.Detach(), DType::kFloat64), 1) / counts;
}

std::vector<Measurement> IsTheRunningMean(const std::string& name, const Change& change,
                                          const HeadFunction& output) {
  double course = 0, relative = 0, weights = 0;
  for (const Case& c : Cases()) {
    Example e(c);
    change(e.head);
    const Tensor v = e.head.value(e.x), mean = RunningMean(v);
    const Tensor y = output(e.head, e.x);
    const double unit = Roundoff(DType::kFloat32) * LargestMagnitude(v);
    for (int64_t begin = 0; begin < y.size(0); begin += c.batch) {
      const double distance = LargestDifference(Slice(y, 0, begin, begin + c.batch), mean);
      if (c.seed == 0) course = LargerOf(course, distance);
      relative = LargerOf(relative, distance / ((2 * c.time + 4) * unit));
    }
    const std::vector<double> a = Doubles(Weights(e.head, e.x));
    for (size_t k = 0; k < a.size(); ++k) {
      const auto i = static_cast<int64_t>(k) / c.time % c.time,
                 j = static_cast<int64_t>(k) % c.time;
      const double expected = j <= i ? 1.0 / (i + 1) : 0;
      weights = LargerOf(weights, std::abs(a[k] - expected) * (i + 1) / Roundoff(DType::kFloat32));
    }
  }
  return {
      AtMost(name + ": largest distance from the running mean, the course's sizes", course, 1e-6),
      AtMost("the same over (2 T + 4) u max|v|, all heads", relative, 1),
      AtMost("largest |A_ij - 1 / i| i, in u", weights, 2)};
}

void ZeroQueries(Head& head) { nn::init::Zeros(head.query.weight); }

void ZeroQueriesAndKeys(Head& head) {
  ZeroQueries(head);
  nn::init::Zeros(head.key.weight);
}

TEST(ZeroQueriesAndKeys, GiveTheRunningMean) {
  ExpectHolds(IsTheRunningMean("W_Q = W_K = 0", ZeroQueriesAndKeys, Output));
}

TEST(ZeroQueries, GiveItToo) { ExpectHolds(IsTheRunningMean("W_Q = 0", ZeroQueries, Output)); }

TEST(ZeroQueriesAndKeys, GoesRedWithoutTheMask) {
  ExpectBroken(IsTheRunningMean("W_Q = W_K = 0", ZeroQueriesAndKeys, UnmaskedOutput));
}

TEST(ZeroQueriesAndKeys, GoesRedWithSmallOnes) {
  ExpectBroken(IsTheRunningMean(
      "W_Q small", [](Head& head) { nn::init::Constant(head.query.weight, 1e-2); }, Output));
}

}  // namespace
}  // namespace lemma::propositions
