// Conversions between float and bfloat16 of n elements, with the bits of BFloat16's constructor and
// conversion, which are their definition: to nearest, ties to even, a NaN stays one.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_CONVERT_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_CONVERT_H_

#include <cstdint>

#include "autograd/dtype.h"

namespace lemma::kernels::simd {

void Convert(int64_t n, const float* x, BFloat16* y);
void Convert(int64_t n, const BFloat16* x, float* y);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_CONVERT_H_
