// Sums as they are defined. See autograd/kernels/sum.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_SUM_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_SUM_H_

#include <cstdint>

namespace lemma::kernels::reference {

// Sum of n elements that lie `stride` apart: halves are summed and added, so that no element goes
// through more than about log2(n) + 8 roundings.
template <typename T, typename S>
S PairwiseSum(int64_t n, const T* x, int64_t stride) {
  if (n <= 8) {
    S total = 0;
    for (int64_t i = 0; i < n; ++i) total += static_cast<S>(x[i * stride]);
    return total;
  }
  const int64_t half = n / 2;
  return PairwiseSum<T, S>(half, x, stride) +
         PairwiseSum<T, S>(n - half, x + half * stride, stride);
}

template <typename T, typename S>
void SumMiddle(int64_t outer, int64_t n, int64_t inner, const T* x, S* out) {
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      out[o * inner + i] = PairwiseSum<T, S>(n, x + o * n * inner + i, inner);
    }
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_SUM_H_
