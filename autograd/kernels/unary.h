// Functions of one number, applied to n elements, and their backward.
//
//   UnaryForward<float>(UnaryFunction::kTanh, n, x, y);
//   UnaryBackward<float>(UnaryFunction::kTanh, n, x, y, dy, dx, /*accumulate=*/false);
//
// The meaning is reference/unary.h; float runs in simd/unary.h, whose fast functions state their
// errors in simd/math-inl.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_UNARY_H_
#define LEMMA_AUTOGRAD_KERNELS_UNARY_H_

#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/reference/unary.h"
#include "autograd/kernels/simd/unary.h"
#include "autograd/kernels/unary_function.h"

namespace lemma::kernels {

// y = f(x); y may be x.
template <typename T>
void UnaryForward(UnaryFunction function, int64_t n, const T* x, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    simd::UnaryForward(function, n, x, y);
  } else {
    reference::UnaryForward<T>(function, n, x, y);
  }
}

// dx = dy * f'(x), or dx += with `accumulate`; dx may be dy. Only one of x and y is read, and the
// other may be null: NeedsInput(function) says which.
template <typename T>
void UnaryBackward(UnaryFunction function, int64_t n, const T* x, const T* y, const T* dy, T* dx,
                   bool accumulate) {
  if constexpr (std::is_same_v<T, float>) {
    simd::UnaryBackward(function, n, x, y, dy, dx, accumulate);
  } else {
    reference::UnaryBackward<T>(function, n, x, y, dy, dx, accumulate);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_UNARY_H_
