#include <cstdint>
#include <iostream>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Eigenvalues"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/functional.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/matrix.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The Jacobian of p = softmax(s), which is the Hessian of log sum exp(s), is "
                  "diag(p) - p p^T: symmetric, positive semidefinite, with 1 in its kernel.",
     .source = "Step 4, Lemma 4.5",
     .exact = "up to rounding in float64; p of the formula comes from exp in Eigen"});

constexpr uint64_t kSeed = 47;

std::vector<Measurement> JacobianIsTheFormula(const TensorFunction& softmax) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  double distance = 0, asymmetry = 0, kernel = 0, hessian = 0, least = 0;
  for (int64_t n = 1; n <= 24; ++n) {
    const Tensor s = RandN({n}, generator, DType::kFloat64) * 2.0;
    const Eigen::VectorXd e = Matrix(Reshape(s, {n, 1})).array().exp();
    const Eigen::VectorXd p = e / e.sum();
    const Eigen::MatrixXd formula = p.asDiagonal().toDenseMatrix() - p * p.transpose();
    const Eigen::MatrixXd j = Matrix(Jacobian(softmax, s));
    const Eigen::MatrixXd h = Matrix(Hessian([](const Tensor& x) { return LogSumExp(x, {0}); }, s));
    distance = LargerOf(distance, (j - formula).cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
    hessian = LargerOf(hessian, (j - h).cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
    asymmetry = LargerOf(asymmetry, (j - j.transpose()).cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
    kernel = LargerOf(kernel, j.rowwise().sum().cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
    const Eigen::MatrixXd symmetric = (j + j.transpose()) / 2;
    least = SmallerOf(least, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric)
                                 .eigenvalues()
                                 .minCoeff<Eigen::PropagateNaN>());
  }
  return {AtMost("largest |J - (diag(p) - p p^T)|, n = 1..24", distance, 1e-15),
          AtMost("largest |J - Hessian of log sum exp|", hessian, 1e-15),
          AtMost("largest |J - J^T|", asymmetry, 1e-15), AtMost("largest |J 1|", kernel, 1e-15),
          AtLeast("least eigenvalue", least, -1e-15)};
}

TEST(SoftmaxJacobian, IsDiagPMinusPPt) {
  ExpectHolds(JacobianIsTheFormula([](const Tensor& s) { return Softmax(s, 0); }));
}

// As if the normaliser were a number: what is left is diag(p).
TEST(SoftmaxJacobian, GoesRedWithAConstantNormaliser) {
  ExpectBroken(JacobianIsTheFormula([](const Tensor& s) {
    const Tensor e = Exp(s);
    return e / Sum(e).Detach();
  }));
}

TEST(SoftmaxJacobian, GoesRedWithSigmoids) {
  ExpectBroken(JacobianIsTheFormula([](const Tensor& s) { return Sigmoid(s); }));
}

}  // namespace
}  // namespace lemma::propositions
