#include "autograd/kernels/simd/unary.h"

#include "autograd/kernels/reference/unary.h"

namespace lemma::kernels::simd {

void UnaryForward(UnaryFunction function, int64_t n, const float* x, float* y) {
  reference::UnaryForward<float>(function, n, x, y);
}

void UnaryBackward(UnaryFunction function, int64_t n, const float* x, const float* y,
                   const float* dy, float* dx, bool accumulate) {
  reference::UnaryBackward<float>(function, n, x, y, dy, dx, accumulate);
}

}  // namespace lemma::kernels::simd
