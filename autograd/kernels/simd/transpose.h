// The float transposing kernels. See autograd/kernels/transpose.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_TRANSPOSE_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_TRANSPOSE_H_

#include <cstdint>

namespace lemma::kernels::simd {

void Transpose(int64_t rows, int64_t columns, const float* x, int64_t x_stride, float* y,
               int64_t y_stride);

void SwapMiddleAxes(int64_t outer, int64_t first, int64_t second, int64_t inner, const float* x,
                    float* y);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_TRANSPOSE_H_
