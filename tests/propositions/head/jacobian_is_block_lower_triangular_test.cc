#include <cmath>
#include <cstdint>
#include <vector>

#include "Eigen/Core"
#include "autograd/dtype.h"
#include "autograd/functional.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/views.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/head/matrix.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const Proposition kProposition(
    {.statement =
         "The Jacobian of the causal head is block lower triangular, with blocks "
         "d out_i / d x_j = A_ij (W_V + (v_j - out_i) q_i^T W_K / sqrt(d_k)), and for j = i "
         "also sum_m A_im (v_m - out_i) k_m^T W_Q / sqrt(d_k).",
     .source = "Step 4, Proposition 5.1",
     .exact = "blocks above the diagonal exactly 0; the formula up to rounding in float64"});

// A one-sequence head as a function of x (T, C), by formula. W is (d_k, C) here.
class Formula {
 public:
  Formula(Head& head, const MatrixXd& x)
      : wq_(Matrix(head.query.weight)),
        wk_(Matrix(head.key.weight)),
        wv_(Matrix(head.value.weight)),
        q_(x * wq_.transpose()),
        k_(x * wk_.transpose()),
        v_(x * wv_.transpose()),
        a_(MatrixXd::Zero(x.rows(), x.rows())),
        root_(std::sqrt(static_cast<double>(q_.cols()))) {
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const VectorXd weights = (k_.topRows(i + 1) * q_.row(i).transpose() / root_).array().exp();
      a_.row(i).head(i + 1) = weights.transpose() / weights.sum();
    }
    out_ = a_ * v_;
  }

  // d out_i / d x_j, (d_k, C).
  MatrixXd Block(Eigen::Index i, Eigen::Index j) const {
    if (j > i) return MatrixXd::Zero(wv_.rows(), wv_.cols());
    const VectorXd difference = (v_.row(j) - out_.row(i)).transpose();
    MatrixXd block = a_(i, j) * (wv_ + difference * q_.row(i) * wk_ / root_);
    for (Eigen::Index m = 0; j == i && m <= i; ++m) {
      block += a_(i, m) * (v_.row(m) - out_.row(i)).transpose() * k_.row(m) * wq_ / root_;
    }
    return block;
  }

 private:
  const MatrixXd wq_, wk_, wv_, q_, k_, v_;
  MatrixXd a_, out_;
  const double root_;
};

struct Blocks {
  int64_t above = 0;           // elements of blocks above the diagonal that are not 0
  double smallest = INFINITY;  // Frobenius norm of a block on or below it
  double distance = 0;         // of an element from the formula
};

void Measure(const HeadFunction& output, const Case& c, Blocks& blocks) {
  Example e(c, DType::kFloat64);
  const Tensor x = Select(e.x, 0, 0);
  const Formula formula(e.head, Matrix(x));
  const auto f = [&](const Tensor& x) { return output(e.head, Unsqueeze(x, 0)); };
  const Tensor jacobian = Jacobian(f, x);  // (1 or 2, T, d_k, T, C)
  for (int64_t copy = 0; copy < jacobian.size(0); ++copy) {
    for (int64_t i = 0; i < c.time; ++i) {
      for (int64_t j = 0; j < c.time; ++j) {
        const Tensor block = Select(Select(Select(jacobian, 0, copy), 0, i), 1, j);  // (d_k, C)
        if (j > i) blocks.above += CountNonZero(block);
        if (j <= i) blocks.smallest = SmallerOf(blocks.smallest, Matrix(block).norm());
        blocks.distance = LargerOf(
            blocks.distance,
            (Matrix(block) - formula.Block(i, j)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
      }
    }
  }
}

std::vector<Measurement> BlockLowerTriangular(const HeadFunction& output) {
  Blocks course, all;
  Measure(output, {}, course);
  for (const Case& c : Cases()) {
    if (c.time * c.head_width <= 200) Measure(output, c, all);  // one walk for each output
  }
  return {
      Exactly("elements above the diagonal blocks that are not 0, the course's head", course.above,
              0),
      AtLeast("least norm of a block on or below the diagonal", course.smallest, 1e-2),
      AtMost("largest distance of an element from the formula", course.distance, 1e-14),
      Exactly("elements above the diagonal blocks that are not 0, heads of up to 200 outputs",
              all.above, 0),
      AtMost("largest distance from the formula, heads of up to 200 outputs", all.distance, 1e-14)};
}

TEST(Jacobian, IsBlockLowerTriangular) { ExpectHolds(BlockLowerTriangular(Output)); }

TEST(Jacobian, GoesRedWithoutTheMask) { ExpectBroken(BlockLowerTriangular(UnmaskedOutput)); }

// Block lower triangular still, but no gradient flows through the weights.
TEST(Jacobian, GoesRedWhereTheWeightsAreConstants) {
  ExpectBroken(BlockLowerTriangular([](Head& head, const Tensor& x) {
    return MatMul(Slice(Weights(head, x), 0, 0, x.size(0)).Detach(), head.value(x));
  }));
}

}  // namespace
}  // namespace lemma::propositions
