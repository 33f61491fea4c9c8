#include "nn/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/error.h"

namespace lemma::optim {
namespace {

void CheckStep(int64_t step) {
  if (step < 0) Fail("schedule", "step: steps are counted from 0; this one is ", step);
}

}  // namespace

Schedule Constant(double lr) {
  return [lr](int64_t) { return lr; };
}

Schedule Linear(double start, double end, int64_t steps) {
  if (steps < 0) Fail("Linear", "steps: there can't be fewer than 0; there are ", steps);
  return [=](int64_t step) {
    CheckStep(step);
    if (step >= steps) return end;
    return start + (end - start) * static_cast<double>(step) / static_cast<double>(steps);
  };
}

Schedule WarmupCosine(const WarmupCosineOptions& options) {
  if (options.warmup < 0 || options.steps < 0) {
    Fail("WarmupCosine", "warmup and steps can't be negative; they are ", options.warmup, " and ",
         options.steps);
  }
  return [options](int64_t step) {
    CheckStep(step);
    if (step < options.warmup) {
      return options.lr * static_cast<double>(step + 1) / static_cast<double>(options.warmup + 1);
    }
    if (step >= options.steps) return options.min_lr;
    const double part = static_cast<double>(step - options.warmup) /
                        static_cast<double>(std::max<int64_t>(options.steps - options.warmup, 1));
    return options.min_lr +
           0.5 * (1 + std::cos(std::numbers::pi * part)) * (options.lr - options.min_lr);
  };
}

}  // namespace lemma::optim
