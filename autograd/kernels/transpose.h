// Copies with two axes swapped.
//
//   Transpose<float>(rows, columns, x, columns, y, rows);  // (rows, columns) -> (columns, rows)
//   SwapMiddleAxes<float>(b, t, h, d, x, y);               // (B, T, H, D) -> (B, H, T, D)
//
// Input and output may not overlap. The meaning is reference/transpose.h; float runs in
// simd/transpose.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_TRANSPOSE_H_
#define LEMMA_AUTOGRAD_KERNELS_TRANSPOSE_H_

#include <cstdint>
#include <type_traits>

#include "autograd/kernels/reference/transpose.h"
#include "autograd/kernels/simd/transpose.h"

namespace lemma::kernels {

// y[c * y_stride + r] = x[r * x_stride + c]; strides of rows, in elements.
template <typename T>
void Transpose(int64_t rows, int64_t columns, const T* x, int64_t x_stride, T* y,
               int64_t y_stride) {
  if constexpr (std::is_same_v<T, float>) {
    simd::Transpose(rows, columns, x, x_stride, y, y_stride);
  } else {
    reference::Transpose<T>(rows, columns, x, x_stride, y, y_stride);
  }
}

// x: (outer, first, second, inner) -> y: (outer, second, first, inner), both dense.
template <typename T>
void SwapMiddleAxes(int64_t outer, int64_t first, int64_t second, int64_t inner, const T* x, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    simd::SwapMiddleAxes(outer, first, second, inner, x, y);
  } else {
    reference::SwapMiddleAxes<T>(outer, first, second, inner, x, y);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_TRANSPOSE_H_
