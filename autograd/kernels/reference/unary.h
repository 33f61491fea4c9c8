// Unary functions as they are defined. See autograd/kernels/unary.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_UNARY_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_UNARY_H_

#include <cmath>
#include <cstdint>
#include <numbers>

#include "autograd/dtype.h"
#include "autograd/kernels/unary_function.h"

namespace lemma::kernels::reference {

template <typename A>
A Sigmoid(A x) {
  if (x >= 0) return A{1} / (A{1} + std::exp(-x));
  const A e = std::exp(x);
  return e / (A{1} + e);
}

template <typename A>
A UnaryValue(UnaryFunction function, A x) {
  switch (function) {
    case UnaryFunction::kExp:
      return std::exp(x);
    case UnaryFunction::kLog:
      return std::log(x);
    case UnaryFunction::kTanh:
      return std::tanh(x);
    case UnaryFunction::kSigmoid:
      return Sigmoid(x);
    case UnaryFunction::kErf:
      return std::erf(x);
    case UnaryFunction::kSilu:
      return x * Sigmoid(x);
    case UnaryFunction::kRelu:
      return x <= 0 ? A{0} : x;
  }
  __builtin_unreachable();
}

// f'(x), where `value` is x or f(x) as NeedsInput says.
template <typename A>
A UnaryDerivative(UnaryFunction function, A value) {
  switch (function) {
    case UnaryFunction::kExp:
      return value;
    case UnaryFunction::kLog:
      return A{1} / value;
    case UnaryFunction::kTanh:
      return A{1} - value * value;
    case UnaryFunction::kSigmoid:
      return value * (A{1} - value);
    case UnaryFunction::kErf:
      return A{2} * std::numbers::inv_sqrtpi_v<A> * std::exp(-value * value);
    case UnaryFunction::kSilu: {
      const A s = Sigmoid(value);
      return s * (A{1} + value * (A{1} - s));
    }
    case UnaryFunction::kRelu:
      return value > 0 ? A{1} : A{0};
  }
  __builtin_unreachable();
}

template <typename T>
void UnaryForward(UnaryFunction function, int64_t n, const T* x, T* y) {
  using A = Accumulator<T>;
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<T>(UnaryValue<A>(function, static_cast<A>(x[i])));
  }
}

template <typename T>
void UnaryBackward(UnaryFunction function, int64_t n, const T* x, const T* y, const T* dy, T* dx,
                   bool accumulate) {
  using A = Accumulator<T>;
  const T* saved = NeedsInput(function) ? x : y;
  for (int64_t i = 0; i < n; ++i) {
    const A derivative = UnaryDerivative<A>(function, static_cast<A>(saved[i]));
    const A value = static_cast<A>(dy[i]) * derivative;
    dx[i] = static_cast<T>(accumulate ? static_cast<A>(dx[i]) + value : value);
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_UNARY_H_
