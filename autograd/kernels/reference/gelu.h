// GELU as it is defined. See autograd/kernels/gelu.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_GELU_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_GELU_H_

#include <cmath>
#include <cstdint>
#include <numbers>

#include "autograd/dtype.h"
#include "autograd/kernels/gelu_form.h"

namespace lemma::kernels::reference {

// gelu(x) in double or float.
template <typename A>
A Gelu(A x, GeluForm form) {
  if (form == GeluForm::kExact) {
    return x * A{0.5} * (A{1} + std::erf(x / std::numbers::sqrt2_v<A>));
  }
  const A u = std::sqrt(A{2} / std::numbers::pi_v<A>) * (x + A(0.044715) * x * x * x);
  return A{0.5} * x * (A{1} + std::tanh(u));
}

// gelu'(x): Phi(x) + x * phi(x), or the derivative of the tanh form.
template <typename A>
A GeluDerivative(A x, GeluForm form) {
  if (form == GeluForm::kExact) {
    const A cdf = A{0.5} * (A{1} + std::erf(x / std::numbers::sqrt2_v<A>));
    const A pdf = std::exp(A{-0.5} * x * x) / std::sqrt(A{2} * std::numbers::pi_v<A>);
    return cdf + x * pdf;
  }
  const A beta = std::sqrt(A{2} / std::numbers::pi_v<A>);
  const A t = std::tanh(beta * (x + A(0.044715) * x * x * x));
  return A{0.5} * (A{1} + t) +
         A{0.5} * x * (A{1} - t * t) * beta * (A{1} + A(3 * 0.044715) * x * x);
}

template <typename T>
void GeluForward(int64_t n, const T* x, T* y, GeluForm form) {
  using A = Accumulator<T>;
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(Gelu<A>(static_cast<A>(x[i]), form));
}

template <typename T>
void GeluBackward(int64_t n, const T* x, const T* dy, T* dx, GeluForm form, bool accumulate) {
  using A = Accumulator<T>;
  for (int64_t i = 0; i < n; ++i) {
    const A value = static_cast<A>(dy[i]) * GeluDerivative<A>(static_cast<A>(x[i]), form);
    dx[i] = static_cast<T>(accumulate ? static_cast<A>(dx[i]) + value : value);
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_GELU_H_
