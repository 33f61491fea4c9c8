// Exercise: the backward of softmax. You write softmax_backward.cc; this file stays as it is.
#ifndef HOMEWORK_SOFTMAX_BACKWARD_H_
#define HOMEWORK_SOFTMAX_BACKWARD_H_

#include "tools/grading/homework.h"

namespace homework {

// Of p = softmax(x) along the last dimension: given p (..., N) and dp (..., N), the gradient of x.
// The Jacobian of each row is diag(p) - p p^T.
Tensor SoftmaxBackward(const Tensor& p, const Tensor& dp);

}  // namespace homework

#endif  // HOMEWORK_SOFTMAX_BACKWARD_H_
