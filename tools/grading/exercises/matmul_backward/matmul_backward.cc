#include "matmul_backward.h"

namespace homework {

ProductGradients MatMulBackward(const Tensor& a, const Tensor& b, const Tensor& dc) {
  (void)a, (void)b, (void)dc;
  // TODO: each is a product with a transposed factor. Which shapes fit?
  throw std::logic_error("TODO: the backward is not written yet");
}

}  // namespace homework
