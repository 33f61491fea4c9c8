// Exercise: one step of AdamW. You write adamw_step.cc; this file stays as it is.
#ifndef HOMEWORK_ADAMW_STEP_H_
#define HOMEWORK_ADAMW_STEP_H_

#include "tools/grading/homework.h"

namespace homework {

struct AdamWOptions {
  double lr, beta1, beta2, eps, weight_decay;
};

// A parameter and the running means of its gradient and of the gradient's square.
struct AdamWState {
  Tensor p, m, v;
};

// The state after step number `step` (1 for the first) with gradient g:
//   p is first multiplied by 1 - lr weight_decay
//   m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2
//   p = p - lr (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + eps)
AdamWState AdamWStep(const AdamWState& state, const Tensor& g, int64_t step,
                     const AdamWOptions& options);

}  // namespace homework

#endif  // HOMEWORK_ADAMW_STEP_H_
