// What the AdamW kernel takes; see autograd/kernels/adamw.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_ADAMW_ARGS_H_
#define LEMMA_AUTOGRAD_KERNELS_ADAMW_ARGS_H_

#include <cmath>
#include <cstdint>

namespace lemma::kernels {

// One parameter of n elements with its gradient and moments, all dense.
template <typename T>
struct AdamWTensor {
  T* param = nullptr;       // updated
  const T* grad = nullptr;  // left as it is
  T* exp_avg = nullptr;     // m, updated
  T* exp_avg_sq = nullptr;  // v, updated
  int64_t n = 0;
};

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;
  int64_t step = 1;         // 1 at the first update
  double grad_scale = 1.0;  // what gradients are multiplied with first, as clipping does
};

// A run of n elements that SumOfSquares reads.
template <typename T>
struct ConstRun {
  const T* data = nullptr;
  int64_t n = 0;
};

// The scalars of one update, worked out in double.
struct AdamWScalars {
  explicit AdamWScalars(const AdamWOptions& options) {
    const double steps = static_cast<double>(options.step);
    const double sqrt_correction2 = std::sqrt(1.0 - std::pow(options.beta2, steps));
    decay = 1.0 - options.lr * options.weight_decay;
    step_size = options.lr / (1.0 - std::pow(options.beta1, steps)) * sqrt_correction2;
    eps = options.eps * sqrt_correction2;
  }

  double decay;      // 1 - lr * weight_decay
  double step_size;  // lr / (1 - beta1^step) * sqrt(1 - beta2^step)
  double eps;        // eps * sqrt(1 - beta2^step)
};

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_ADAMW_ARGS_H_
