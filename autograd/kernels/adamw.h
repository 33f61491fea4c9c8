// The AdamW update of many parameters in one pass over memory, and the sum of squares that
// clipping by the global norm needs.
//
//   const double norm = std::sqrt(SumOfSquares<float>(gradients));
//   AdamWOptions options{.lr = 3e-4, .step = step};
//   options.grad_scale = std::min(1.0, max_norm / (norm + 1e-6));
//   AdamWUpdate<float>(tensors, options);
//
// For each element, with g the scaled gradient and the scalars in double:
//   p *= 1 - lr * weight_decay
//   m  = m + (g - m) * (1 - beta1)
//   v  = v * beta2 + (1 - beta2) * g * g
//   p -= lr / (1 - beta1^step) * m / (sqrt(v) / c + eps),  c = sqrt(1 - beta2^step)
// where numerator and denominator are both multiplied with c first, which saves a division.
// Loshchilov, Hutter: Decoupled Weight Decay Regularization, arXiv:1711.05101.
// The meaning is reference/adamw.h; float runs in simd/adamw.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_ADAMW_H_
#define LEMMA_AUTOGRAD_KERNELS_ADAMW_H_

#include <span>
#include <type_traits>

#include "autograd/kernels/adamw_args.h"
#include "autograd/kernels/reference/adamw.h"
#include "autograd/kernels/simd/adamw.h"

namespace lemma::kernels {

// T is float or double (moments are never kept in bfloat16).
template <typename T>
void AdamWUpdate(std::span<const AdamWTensor<T>> tensors, const AdamWOptions& options) {
  if constexpr (std::is_same_v<T, float>) {
    simd::AdamWUpdate(tensors, options);
  } else {
    reference::AdamWUpdate<T>(tensors, options);
  }
}

// The sum of the squares of all elements of all runs, in double, in pieces whose borders depend on
// the runs' sizes alone.
template <typename T>
double SumOfSquares(std::span<const ConstRun<T>> runs) {
  if constexpr (std::is_same_v<T, float>) {
    return simd::SumOfSquares(runs);
  } else {
    return reference::SumOfSquares<T>(runs);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_ADAMW_H_
