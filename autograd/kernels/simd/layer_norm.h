// The float layer normalisation kernels. See autograd/kernels/layer_norm.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_LAYER_NORM_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_LAYER_NORM_H_

#include <cstdint>

namespace lemma::kernels::simd {

void LayerNormForward(int64_t rows, int64_t columns, const float* x, const float* weight,
                      const float* bias, double eps, float* y, float* mean, float* rstd);

void LayerNormBackward(int64_t rows, int64_t columns, const float* dy, const float* x,
                       const float* weight, const float* mean, const float* rstd, float* dx,
                       bool accumulate_dx, float* dweight, float* dbias);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_LAYER_NORM_H_
