// The float unary kernels. See autograd/kernels/unary.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_UNARY_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_UNARY_H_

#include <cstdint>

#include "autograd/kernels/unary_function.h"

namespace lemma::kernels::simd {

void UnaryForward(UnaryFunction function, int64_t n, const float* x, float* y);

void UnaryBackward(UnaryFunction function, int64_t n, const float* x, const float* y,
                   const float* dy, float* dx, bool accumulate);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_UNARY_H_
