#include <cmath>
#include <cstdint>
#include <vector>

#include "Eigen/Core"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/views.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/head/matrix.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"
#include "tools/grading/convex_hull.h"

namespace lemma::propositions {
namespace {

using tools::grading::HullCertificate;
using tools::grading::LocateInHull;

const Proposition kProposition(
    {.statement = "Each output of the causal head is a convex combination of the values at its own "
                  "and earlier positions.",
     .source = "Step 4, Corollary 3.2",
     .exact = "up to the rounding of the output; the certificate of each row is found without A: "
              "weights >= 0 of sum 1 whose combination meets it (or a hyperplane that separates "
              "it), checked in float64"});

// Rows [0, rows) of sequence b of x (B, T, n).
Eigen::MatrixXd Rows(const Tensor& x, int64_t b, int64_t rows) {
  return Matrix(Slice(Select(x, 0, b), 0, 0, rows));
}

struct Worst {
  double weight = INFINITY, sum = 0, distance = 0, margin = 0;

  // `bound` is how far rounding may carry the output.
  void Add(const HullCertificate& c, double bound) {
    weight = SmallerOf(weight, c.weights.minCoeff<Eigen::PropagateNaN>());
    sum = LargerOf(sum, std::abs(c.weights.sum() - 1));
    distance = LargerOf(distance, c.distance / bound);
    margin = LargerOf(margin, c.margin / bound);
  }
};

// Row i sums n = i + 1 products with weights whose sum is off by at most (n + 2) u: each coordinate
// is off by at most (2 n + 4) u max|v|, and there are d_k of them.
std::vector<Measurement> OutputsInTheHull(const HeadFunction& output) {
  Worst worst;
  for (const Case& c : Cases()) {
    Example e(c);
    const Tensor values = e.head.value(e.x), out = output(e.head, e.x);
    const double unit = Roundoff(DType::kFloat32) * std::sqrt(static_cast<double>(c.head_width)) *
                        LargestMagnitude(values);
    for (int64_t b = 0; b < out.size(0); ++b) {
      const Eigen::MatrixXd v = Rows(values, b % c.batch, c.time), y = Rows(out, b, c.time);
      for (int64_t i = 0; i < c.time; ++i) {
        worst.Add(LocateInHull(v.topRows(i + 1), y.row(i).transpose()), (2 * i + 6) * unit);
      }
    }
  }
  return {AtLeast("smallest weight of a certificate", worst.weight, 0),
          AtMost("largest |sum of its weights - 1|", worst.sum, 1e-14),
          AtMost("largest distance of an output from its certificate's combination / bound, bound "
                 "(2 i + 6) u sqrt(d_k) max|v|",
                 worst.distance, 1),
          AtMost("largest margin of a hyperplane between an output and its values / bound",
                 worst.margin, 1)};
}

// How far outputs leave the box around the values, coordinate by coordinate.
double LeavesTheBox(const HeadFunction& output) {
  Example e(Case{});
  const Tensor v = e.head.value(e.x), y = output(e.head, e.x);
  double outside = 0;
  for (int64_t b = 0; b < e.x.size(0); ++b) {
    for (int64_t i = 0; i < e.x.size(1); ++i) {
      const Eigen::MatrixXd seen = Rows(v, b, i + 1);
      const Eigen::RowVectorXd row = Rows(y, b, i + 1).row(i);
      outside =
          LargerOf(outside, (row - seen.colwise().maxCoeff()).maxCoeff<Eigen::PropagateNaN>());
      outside =
          LargerOf(outside, (seen.colwise().minCoeff() - row).maxCoeff<Eigen::PropagateNaN>());
    }
  }
  return outside;
}

TEST(Outputs, LieInTheConvexHullOfTheValues) { ExpectHolds(OutputsInTheHull(Output)); }

TEST(Outputs, GoesRedWithWeightsOfSumOneAndAHalf) {
  ExpectBroken(OutputsInTheHull([](Head& head, const Tensor& x) { return Output(head, x) * 1.5; }));
}

// Every second coordinate is the mean of the values: each lies between its least and greatest
// value, which is all that the box asks, but no single set of weights gives the row.
TEST(Outputs, GoesRedWhereCoordinatesHaveWeightsOfTheirOwn) {
  const HeadFunction broken = [](Head& head, const Tensor& x) {
    Tensor mask = Tensor::Empty({head.value.weight.size(0)}, DType::kBool);
    for (int64_t i = 0; i < mask.numel(); ++i) mask.mutable_data<bool>()[i] = i % 2 == 0;
    const Tensor v = head.value(x), zero = ZerosLike(v);
    return Where(mask, head(x), ScaledDotProductAttention(zero, zero, v, {.causal = true}));
  };
  EXPECT_LT(LeavesTheBox(broken), 1e-6);
  ExpectBroken(OutputsInTheHull(broken));
}

TEST(Outputs, GoesRedWithoutTheMask) { ExpectBroken(OutputsInTheHull(UnmaskedOutput)); }

}  // namespace
}  // namespace lemma::propositions
