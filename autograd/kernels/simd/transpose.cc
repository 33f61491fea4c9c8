#include "autograd/kernels/simd/transpose.h"

#include "autograd/kernels/reference/transpose.h"

namespace lemma::kernels::simd {

void Transpose(int64_t rows, int64_t columns, const float* x, int64_t x_stride, float* y,
               int64_t y_stride) {
  reference::Transpose<float>(rows, columns, x, x_stride, y, y_stride);
}

void SwapMiddleAxes(int64_t outer, int64_t first, int64_t second, int64_t inner, const float* x,
                    float* y) {
  reference::SwapMiddleAxes<float>(outer, first, second, inner, x, y);
}

}  // namespace lemma::kernels::simd
