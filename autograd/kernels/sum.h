// Sums over one dimension of a dense array.
//
//   SumMiddle<float>(outer, n, inner, x, out);  // out[o, i] = the sum over j of x[o, j, i]
//
// With inner = 1 these are sums of rows, with outer = 1 of columns, with both the sum of all. The
// order of additions depends on the sizes alone, so results are the same for any number of threads;
// the rounding error of a float sum grows with the logarithm of n. The meaning is reference/sum.h;
// float runs in simd/sum.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_SUM_H_
#define LEMMA_AUTOGRAD_KERNELS_SUM_H_

#include <cstdint>
#include <type_traits>

#include "autograd/kernels/reference/sum.h"
#include "autograd/kernels/simd/sum.h"

namespace lemma::kernels {

// x: (outer, n, inner); out: (outer, inner), written. S is what sums of T are kept in: float for
// bfloat16, int64_t for integers and bools.
template <typename T, typename S>
void SumMiddle(int64_t outer, int64_t n, int64_t inner, const T* x, S* out) {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<S, float>) {
    simd::SumMiddle(outer, n, inner, x, out);
  } else {
    reference::SumMiddle<T, S>(outer, n, inner, x, out);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_SUM_H_
