// One row times a matrix whose columns are contiguous: a layer's weights, stored (out, in), at one
// position, as in sampling. Bound by memory, so there is nothing to pack and little to plan.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_MATVEC_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_MATVEC_H_

#include <cstdint>

#include "autograd/dtype.h"

namespace lemma::kernels::simd {

// c[j] = sum_l w[j * w_row + l] x[l] [+ bias[j]] [+ c[j]] for j in [0, n), l in [0, k). T is float
// or BFloat16, Out is T or float. Sums are float; their order depends on k and the target alone.
template <typename T, typename Out>
void MatVec(int64_t n, int64_t k, const T* w, int64_t w_row, const T* x, const float* bias, Out* c,
            bool accumulate);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_MATVEC_H_
