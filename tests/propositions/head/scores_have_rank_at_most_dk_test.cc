#include <cmath>
#include <cstdint>
#include <vector>

#include "Eigen/Core"
#include "Eigen/SVD"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/views.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/head/matrix.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "The scores Q K^T / sqrt(d_k) have rank at most d_k, whatever T is: singular value "
         "d_k + 1 is 0.",
     .source = "Step 4, Exercise 7",
     .exact =
         "up to rounding, which leaves singular values of the order of u; value d_k is far above. "
         "It bounds the scores only: softmax(S) may have full rank"});

// Singular values over the largest: number d_k, and number d_k + 1.
struct Spectrum {
  double last = INFINITY;  // the least over the sizes
  double next = 0;         // the largest
};

void Measure(const HeadFunction& scores, const Case& c, DType dtype, Spectrum& spectrum) {
  Example e(c, dtype);
  const Eigen::VectorXd values =
      Eigen::BDCSVD<Eigen::MatrixXd>(Matrix(Select(scores(e.head, e.x), 0, 0))).singularValues();
  spectrum.last = SmallerOf(spectrum.last, values[c.head_width - 1] / values[0]);
  spectrum.next = LargerOf(spectrum.next, values[c.head_width] / values[0]);
}

std::vector<Measurement> RankAtMostDk(const HeadFunction& scores) {
  Spectrum course, wide, rounded;
  Measure(scores, {.batch = 1, .time = 32, .width = 64, .head_width = 8}, DType::kFloat64, course);
  for (int64_t dk : {1, 4, 8, 16}) {
    for (int64_t time : {20, 60, 150}) {
      const Case c{.seed = 7, .batch = 1, .time = time, .width = 64, .head_width = dk};
      Measure(scores, c, DType::kFloat64, wide);
      Measure(scores, c, DType::kFloat32, rounded);
    }
  }
  return {AtMost("singular value 9 / value 1, T = 32, d_k = 8, float64", course.next, 1e-14),
          AtLeast("singular value 8 / value 1", course.last, 1e-2),
          AtMost("largest of value d_k + 1 / value 1, T = 20..150, d_k = 1..16, float64", wide.next,
                 1e-14),
          AtLeast("least of value d_k / value 1", wide.last, 1e-2),
          AtMost("largest of value d_k + 1 / value 1, float32", rounded.next, 1e-6)};
}

Tensor Scores(Head& head, const Tensor& x) { return head.Scores(x); }

TEST(Scores, HaveRankAtMostDk) { ExpectHolds(RankAtMostDk(Scores)); }

TEST(Scores, GoesRedWithATermOfThePositions) {
  ExpectBroken(RankAtMostDk([](Head& head, const Tensor& x) {
    const Tensor at = Arange(0, static_cast<double>(x.size(1)), 1, x.dtype());
    return head.Scores(x) + Abs(Unsqueeze(at, 1) - Unsqueeze(at, 0)) * 0.1;
  }));
}

TEST(Scores, GoesRedWithTheWeights) {
  ExpectBroken(RankAtMostDk(
      [](Head& head, const Tensor& x) { return Slice(UnmaskedWeights(head, x), 0, 0, 1); }));
}

}  // namespace
}  // namespace lemma::propositions
