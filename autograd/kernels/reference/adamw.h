// AdamW as it is defined. See autograd/kernels/adamw.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_ADAMW_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_ADAMW_H_

#include <cmath>
#include <cstdint>
#include <span>

#include "autograd/kernels/adamw_args.h"

namespace lemma::kernels::reference {

template <typename T>
void AdamWUpdate(std::span<const AdamWTensor<T>> tensors, const AdamWOptions& options) {
  const AdamWScalars scalars(options);
  const T decay = static_cast<T>(scalars.decay);
  const T weight1 = static_cast<T>(1.0 - options.beta1);
  const T beta2 = static_cast<T>(options.beta2);
  const T weight2 = static_cast<T>(1.0 - options.beta2);
  for (const AdamWTensor<T>& tensor : tensors) {
    for (int64_t i = 0; i < tensor.n; ++i) {
      const T g = tensor.grad[i] * static_cast<T>(options.grad_scale);
      T& m = tensor.exp_avg[i];
      T& v = tensor.exp_avg_sq[i];
      m = m + weight1 * (g - m);
      v = v * beta2 + weight2 * g * g;
      const T denom = std::sqrt(v) + static_cast<T>(scalars.eps);
      tensor.param[i] = tensor.param[i] * decay - static_cast<T>(scalars.step_size) * m / denom;
    }
  }
}

template <typename T>
double SumOfSquares(std::span<const ConstRun<T>> runs) {
  double sum = 0;
  for (const ConstRun<T>& run : runs) {
    for (int64_t i = 0; i < run.n; ++i) {
      sum += static_cast<double>(run.data[i]) * static_cast<double>(run.data[i]);
    }
  }
  return sum;
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_ADAMW_H_
