// Sums and scalings of dense arrays, the column sum that a bias gradient is, and dropout.
//
//   AddInto<float>(n, x, y);                        // y += x
//   ColumnSumInto<float>(rows, columns, dy, dbias); // dbias += sum of the rows of dy
//
// Outputs may be the same array as an input of their size. The meaning is
// reference/elementwise.h; float runs in simd/elementwise.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_ELEMENTWISE_H_
#define LEMMA_AUTOGRAD_KERNELS_ELEMENTWISE_H_

#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/reference/elementwise.h"
#include "autograd/kernels/simd/elementwise.h"

namespace lemma::kernels {

// y += x
template <typename T>
void AddInto(int64_t n, const T* x, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    simd::AddInto(n, x, y);
  } else {
    reference::AddInto<T>(n, x, y);
  }
}

// out = a + b
template <typename T>
void AddArrays(int64_t n, const T* a, const T* b, T* out) {
  if constexpr (std::is_same_v<T, float>) {
    simd::AddArrays(n, a, b, out);
  } else {
    reference::AddArrays<T>(n, a, b, out);
  }
}

// y += alpha * x
template <typename T>
void Axpy(int64_t n, Accumulator<T> alpha, const T* x, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    simd::Axpy(n, alpha, x, y);
  } else {
    reference::Axpy<T>(n, alpha, x, y);
  }
}

// y = alpha * x
template <typename T>
void ScaleArray(int64_t n, Accumulator<T> alpha, const T* x, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    simd::ScaleArray(n, alpha, x, y);
  } else {
    reference::ScaleArray<T>(n, alpha, x, y);
  }
}

// sum[c] += the sum over rows of x[., c]; x: (rows, columns), sum: (columns).
template <typename T>
void ColumnSumInto(int64_t rows, int64_t columns, const T* x, T* sum) {
  if constexpr (std::is_same_v<T, float>) {
    simd::ColumnSumInto(rows, columns, x, sum);
  } else {
    reference::ColumnSumInto<T>(rows, columns, x, sum);
  }
}

// y = x * keep * scale, the forward of dropout and, with dy for x, its backward. keep holds 0 and 1
// as T, scale is 1 / (1 - p). An element that is not kept is 0 even where x is not finite.
template <typename T>
void DropoutApply(int64_t n, const T* x, const T* keep, Accumulator<T> scale, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    simd::DropoutApply(n, x, keep, scale, y);
  } else {
    reference::DropoutApply<T>(n, x, keep, scale, y);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_ELEMENTWISE_H_
