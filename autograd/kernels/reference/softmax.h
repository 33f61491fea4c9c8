// Softmax and log-softmax as they are defined. See autograd/kernels/softmax.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_SOFTMAX_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_SOFTMAX_H_

#include <cmath>
#include <cstdint>
#include <limits>

#include "autograd/dtype.h"

namespace lemma::kernels::reference {

// The greatest element of a row; NaN elements are passed over (they show in the sum).
template <typename T>
Accumulator<T> RowMax(int64_t columns, const T* x) {
  using A = Accumulator<T>;
  A max = -std::numeric_limits<A>::infinity();
  for (int64_t c = 0; c < columns; ++c) {
    if (static_cast<A>(x[c]) > max) max = static_cast<A>(x[c]);
  }
  return max;
}

// sum_c exp(x_c - shift)
template <typename T>
Accumulator<T> SumExp(int64_t columns, const T* x, Accumulator<T> shift) {
  using A = Accumulator<T>;
  A sum = 0;
  for (int64_t c = 0; c < columns; ++c) sum += std::exp(static_cast<A>(x[c]) - shift);
  return sum;
}

template <typename T>
void SoftmaxForward(int64_t rows, int64_t columns, const T* x, T* y) {
  using A = Accumulator<T>;
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns) {
    const A max = RowMax<T>(columns, x);
    const A sum = SumExp<T>(columns, x, max);
    for (int64_t c = 0; c < columns; ++c) {
      y[c] = static_cast<T>(std::exp(static_cast<A>(x[c]) - max) / sum);
    }
  }
}

template <typename T>
void SoftmaxBackward(int64_t rows, int64_t columns, const T* dy, const T* y, T* dx,
                     bool accumulate) {
  using A = Accumulator<T>;
  for (int64_t r = 0; r < rows; ++r, dy += columns, y += columns, dx += columns) {
    A dot = 0;
    for (int64_t c = 0; c < columns; ++c) dot += static_cast<A>(dy[c]) * static_cast<A>(y[c]);
    for (int64_t c = 0; c < columns; ++c) {
      const A value = static_cast<A>(y[c]) * (static_cast<A>(dy[c]) - dot);
      dx[c] = static_cast<T>(accumulate ? static_cast<A>(dx[c]) + value : value);
    }
  }
}

template <typename T>
void LogSoftmaxForward(int64_t rows, int64_t columns, const T* x, T* y) {
  using A = Accumulator<T>;
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns) {
    const A max = RowMax<T>(columns, x);
    const A log_sum = std::log(SumExp<T>(columns, x, max));
    for (int64_t c = 0; c < columns; ++c) {
      y[c] = static_cast<T>(static_cast<A>(x[c]) - max - log_sum);
    }
  }
}

template <typename T>
void LogSoftmaxBackward(int64_t rows, int64_t columns, const T* dy, const T* y, T* dx,
                        bool accumulate) {
  using A = Accumulator<T>;
  for (int64_t r = 0; r < rows; ++r, dy += columns, y += columns, dx += columns) {
    A sum = 0;
    for (int64_t c = 0; c < columns; ++c) sum += static_cast<A>(dy[c]);
    for (int64_t c = 0; c < columns; ++c) {
      const A value = static_cast<A>(dy[c]) - std::exp(static_cast<A>(y[c])) * sum;
      dx[c] = static_cast<T>(accumulate ? static_cast<A>(dx[c]) + value : value);
    }
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_SOFTMAX_H_
