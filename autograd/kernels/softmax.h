// Softmax and its logarithm over the last axis, forward and backward.
//
//   SoftmaxForward<float>(rows, columns, x, y);
//   SoftmaxBackward<float>(rows, columns, dy, y, dx, /*accumulate=*/false);
//
// All arrays are (rows, columns), dense. The maximum of a row is subtracted first, so finite rows
// give finite results. -inf is a probability of 0; a row with NaN, with +inf or of -inf alone gives
// NaN. The meaning is reference/softmax.h; float runs in simd/softmax.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_SOFTMAX_H_
#define LEMMA_AUTOGRAD_KERNELS_SOFTMAX_H_

#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/reference/softmax.h"
#include "autograd/kernels/simd/softmax.h"

namespace lemma::kernels {

// y = exp(x) / sum exp(x); y may be x.
template <typename T>
void SoftmaxForward(int64_t rows, int64_t columns, const T* x, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    simd::SoftmaxForward(rows, columns, x, y);
  } else {
    reference::SoftmaxForward<T>(rows, columns, x, y);
  }
}

// dx = y * (dy - sum(dy * y)) from the forward's y, or dx += with `accumulate`; dx may be dy.
template <typename T>
void SoftmaxBackward(int64_t rows, int64_t columns, const T* dy, const T* y, T* dx,
                     bool accumulate) {
  if constexpr (std::is_same_v<T, float>) {
    simd::SoftmaxBackward(rows, columns, dy, y, dx, accumulate);
  } else {
    reference::SoftmaxBackward<T>(rows, columns, dy, y, dx, accumulate);
  }
}

// y = x - log(sum exp(x)); y may be x.
template <typename T>
void LogSoftmaxForward(int64_t rows, int64_t columns, const T* x, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    simd::LogSoftmaxForward(rows, columns, x, y);
  } else {
    reference::LogSoftmaxForward<T>(rows, columns, x, y);
  }
}

// dx = dy - exp(y) * sum(dy) from the forward's y, or dx += with `accumulate`; dx may be dy.
template <typename T>
void LogSoftmaxBackward(int64_t rows, int64_t columns, const T* dy, const T* y, T* dx,
                        bool accumulate) {
  if constexpr (std::is_same_v<T, float>) {
    simd::LogSoftmaxBackward(rows, columns, dy, y, dx, accumulate);
  } else {
    reference::LogSoftmaxBackward<T>(rows, columns, dy, y, dx, accumulate);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_SOFTMAX_H_
