#include "autograd/kernels/simd/layer_norm.h"

#include "autograd/kernels/reference/layer_norm.h"

namespace lemma::kernels::simd {

void LayerNormForward(int64_t rows, int64_t columns, const float* x, const float* weight,
                      const float* bias, double eps, float* y, float* mean, float* rstd) {
  reference::LayerNormForward<float>(rows, columns, x, weight, bias, eps, y, mean, rstd);
}

void LayerNormBackward(int64_t rows, int64_t columns, const float* dy, const float* x,
                       const float* weight, const float* mean, const float* rstd, float* dx,
                       bool accumulate_dx, float* dweight, float* dbias) {
  reference::LayerNormBackward<float>(rows, columns, dy, x, weight, mean, rstd, dx, accumulate_dx, dweight, dbias);
}

}  // namespace lemma::kernels::simd
