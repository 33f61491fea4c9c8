#include "autograd/kernels/simd/gelu.h"

#include "autograd/kernels/reference/gelu.h"

namespace lemma::kernels::simd {

void GeluForward(int64_t n, const float* x, float* y, GeluForm form) {
  reference::GeluForward<float>(n, x, y, form);
}

void GeluBackward(int64_t n, const float* x, const float* dy, float* dx, GeluForm form,
                  bool accumulate) {
  reference::GeluBackward<float>(n, x, dy, dx, form, accumulate);
}

}  // namespace lemma::kernels::simd
