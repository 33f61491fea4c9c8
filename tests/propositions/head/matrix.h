// Tensors as matrices of Eigen, for decompositions and formulas in float64.
#ifndef LEMMA_TESTS_PROPOSITIONS_HEAD_MATRIX_H_
#define LEMMA_TESTS_PROPOSITIONS_HEAD_MATRIX_H_

#include "Eigen/Core"
#include "autograd/tensor.h"

namespace lemma::propositions {

// A copy of x, of rank 2 and any float type.
Eigen::MatrixXd Matrix(const Tensor& x);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_HEAD_MATRIX_H_
