// Learning rates by step. A schedule is a function of the step's number, counted from 0.
//
//   const Schedule schedule = WarmupCosine({.lr = 1e-3, .min_lr = 1e-4, .warmup = 100, .steps =
//   2000}); optimizer.SetLr(schedule(step));
#ifndef LEMMA_NN_OPTIM_SCHEDULE_H_
#define LEMMA_NN_OPTIM_SCHEDULE_H_

#include <cstdint>
#include <functional>

namespace lemma::optim {

using Schedule = std::function<double(int64_t step)>;

Schedule Constant(double lr);

// From `start` at step 0 to `end` at step `steps`, and `end` from there on.
Schedule Linear(double start, double end, int64_t steps);

struct WarmupCosineOptions {
  double lr = 1e-3;    // at the end of the warm-up
  double min_lr = 0;   // from step `steps` on
  int64_t warmup = 0;  // steps
  int64_t steps = 1;
};

// lr (step + 1) / (warmup + 1) during the warm-up, then half a cosine from lr to min_lr at `steps`:
// nanoGPT's rule. Loshchilov and Hutter, arXiv:1608.03983, without restarts.
Schedule WarmupCosine(const WarmupCosineOptions& options);

}  // namespace lemma::optim

#endif  // LEMMA_NN_OPTIM_SCHEDULE_H_
