// Singular values of a matrix.
#ifndef LEMMA_TESTS_PROPOSITIONS_SINGULAR_VALUES_H_
#define LEMMA_TESTS_PROPOSITIONS_SINGULAR_VALUES_H_

#include <vector>

#include "autograd/tensor.h"

namespace lemma::propositions {

// In falling order, computed in double; the matrix is of rank 2 and any float type.
std::vector<double> SingularValues(const Tensor& matrix);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_SINGULAR_VALUES_H_
