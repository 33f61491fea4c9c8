// Fast sums of floats. See autograd/kernels/sum.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_SUM_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_SUM_H_

#include <cstdint>

namespace lemma::kernels::simd {

void SumMiddle(int64_t outer, int64_t n, int64_t inner, const float* x, float* out);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_SUM_H_
