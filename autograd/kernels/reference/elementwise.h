// Element-wise kernels as they are defined. See autograd/kernels/elementwise.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_ELEMENTWISE_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_ELEMENTWISE_H_

#include <cstdint>

#include "autograd/dtype.h"

namespace lemma::kernels::reference {

template <typename T>
void AddArrays(int64_t n, const T* a, const T* b, T* out) {
  using A = Accumulator<T>;
  for (int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<T>(static_cast<A>(a[i]) + static_cast<A>(b[i]));
  }
}

template <typename T>
void AddInto(int64_t n, const T* x, T* y) {
  AddArrays<T>(n, x, y, y);
}

template <typename T>
void Axpy(int64_t n, Accumulator<T> alpha, const T* x, T* y) {
  using A = Accumulator<T>;
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<T>(static_cast<A>(y[i]) + alpha * static_cast<A>(x[i]));
  }
}

template <typename T>
void ScaleArray(int64_t n, Accumulator<T> alpha, const T* x, T* y) {
  using A = Accumulator<T>;
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(alpha * static_cast<A>(x[i]));
}

template <typename T>
void ColumnSumInto(int64_t rows, int64_t columns, const T* x, T* sum) {
  using A = Accumulator<T>;
  for (int64_t c = 0; c < columns; ++c) {
    A total = 0;
    for (int64_t r = 0; r < rows; ++r) total += static_cast<A>(x[r * columns + c]);
    sum[c] = static_cast<T>(static_cast<A>(sum[c]) + total);
  }
}

template <typename T>
void DropoutApply(int64_t n, const T* x, const T* keep, Accumulator<T> scale, T* y) {
  using A = Accumulator<T>;
  for (int64_t i = 0; i < n; ++i) {
    const A value = static_cast<A>(x[i]) * scale;
    y[i] = static_cast<T>(static_cast<A>(keep[i]) == A{0} ? A{0} : value);
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_ELEMENTWISE_H_
