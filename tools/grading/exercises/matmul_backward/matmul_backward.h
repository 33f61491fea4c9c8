// Exercise: the backward of a matrix product. You write matmul_backward.cc; this file stays.
#ifndef HOMEWORK_MATMUL_BACKWARD_H_
#define HOMEWORK_MATMUL_BACKWARD_H_

#include "tools/grading/homework.h"

namespace homework {

struct ProductGradients {
  Tensor da;  // (B, M, K)
  Tensor db;  // (K, N)
};

// Of c = a b with a (B, M, K), b (K, N): given dc (B, M, N), the gradients of a and b. One b serves
// all B matrices.
ProductGradients MatMulBackward(const Tensor& a, const Tensor& b, const Tensor& dc);

}  // namespace homework

#endif  // HOMEWORK_MATMUL_BACKWARD_H_
