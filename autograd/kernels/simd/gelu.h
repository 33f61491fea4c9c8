// The float GELU kernels. See autograd/kernels/gelu.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_GELU_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_GELU_H_

#include <cstdint>

#include "autograd/kernels/gelu_form.h"

namespace lemma::kernels::simd {

void GeluForward(int64_t n, const float* x, float* y, GeluForm form);

void GeluBackward(int64_t n, const float* x, const float* dy, float* dx, GeluForm form,
                  bool accumulate);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_GELU_H_
