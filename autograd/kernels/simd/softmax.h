// The float softmax and log-softmax kernels. See autograd/kernels/softmax.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_SOFTMAX_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_SOFTMAX_H_

#include <cstdint>

namespace lemma::kernels::simd {

void SoftmaxForward(int64_t rows, int64_t columns, const float* x, float* y);

void SoftmaxBackward(int64_t rows, int64_t columns, const float* dy, const float* y, float* dx,
                     bool accumulate);

void LogSoftmaxForward(int64_t rows, int64_t columns, const float* x, float* y);

void LogSoftmaxBackward(int64_t rows, int64_t columns, const float* dy, const float* y, float* dx,
                        bool accumulate);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_SOFTMAX_H_
