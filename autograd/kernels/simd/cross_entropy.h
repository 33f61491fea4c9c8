// The float cross entropy kernels. See autograd/kernels/cross_entropy.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_CROSS_ENTROPY_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_CROSS_ENTROPY_H_

#include <cstdint>

namespace lemma::kernels::simd {

void CrossEntropyForward(int64_t rows, int64_t classes, const float* logits, const int64_t* targets,
                         int64_t ignore_index, double label_smoothing, float* loss, float* lse);

void CrossEntropyBackward(int64_t rows, int64_t classes, const float* logits,
                          const int64_t* targets, int64_t ignore_index, double label_smoothing,
                          const float* lse, const float* scale, int64_t scale_stride,
                          float* dlogits);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_CROSS_ENTROPY_H_
