#include "softmax_backward.h"

namespace homework {

Tensor SoftmaxBackward(const Tensor& p, const Tensor& dp) {
  (void)p, (void)dp;
  // TODO: without a matrix: (diag(p) - p p^T) dp needs one sum a row.
  throw std::logic_error("TODO: the backward is not written yet");
}

}  // namespace homework
