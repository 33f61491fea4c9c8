// The Gaussian error linear unit, exact and in its tanh form, forward and backward.
//
//   GeluForward<float>(n, x, y, GeluForm::kExact);
//   GeluBackward<float>(n, x, dy, dx, GeluForm::kExact, /*accumulate=*/false);
//
// Exact: y = x * Phi(x) = x/2 * (1 + erf(x / sqrt 2)). Tanh form: y = x/2 * (1 + tanh(u)) with
// u = sqrt(2 / pi) * (x + 0.044715 x^3), up to 4.8e-4 away from it.
// Hendrycks, Gimpel: Gaussian Error Linear Units, arXiv:1606.08415.
// The meaning is reference/gelu.h; float runs in simd/gelu.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_GELU_H_
#define LEMMA_AUTOGRAD_KERNELS_GELU_H_

#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/gelu_form.h"
#include "autograd/kernels/reference/gelu.h"
#include "autograd/kernels/simd/gelu.h"

namespace lemma::kernels {

// y = gelu(x) for n elements; y may be x.
template <typename T>
void GeluForward(int64_t n, const T* x, T* y, GeluForm form) {
  if constexpr (std::is_same_v<T, float>) {
    simd::GeluForward(n, x, y, form);
  } else {
    reference::GeluForward<T>(n, x, y, form);
  }
}

// dx = dy * gelu'(x), or dx += with `accumulate`; dx may be dy.
template <typename T>
void GeluBackward(int64_t n, const T* x, const T* dy, T* dx, GeluForm form, bool accumulate) {
  if constexpr (std::is_same_v<T, float>) {
    simd::GeluBackward(n, x, dy, dx, form, accumulate);
  } else {
    reference::GeluBackward<T>(n, x, dy, dx, form, accumulate);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_GELU_H_
