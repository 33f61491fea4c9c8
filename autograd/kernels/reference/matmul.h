// The definition of the matrix product: each element's products are summed in order. See
// autograd/kernels/matmul.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_MATMUL_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_MATMUL_H_

#include <cstdint>

#include "autograd/dtype.h"

namespace lemma::kernels::reference {

// c (m, n) = a (m, k) b (k, n) [+ bias (n)] [+ c] for one matrix; a and b of T, c of Out.
template <typename T, typename Out>
void MatMul(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_col, const T* b,
            int64_t b_row, int64_t b_col, Out* c, int64_t c_row, const Accumulator<T>* bias,
            bool accumulate) {
  using A = Accumulator<T>;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      A sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += static_cast<A>(a[i * a_row + l * a_col]) * static_cast<A>(b[l * b_row + j * b_col]);
      }
      if (bias != nullptr) sum += bias[j];
      Out& out = c[i * c_row + j];
      if (accumulate) sum += static_cast<A>(out);
      out = static_cast<Out>(sum);
    }
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_MATMUL_H_
