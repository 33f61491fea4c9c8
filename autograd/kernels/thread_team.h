// The helpers of one thread: threads that share its work, and begin within a fraction of a
// microsecond while they are kept busy.
//
//   ThreadTeam team;
//   team.Run(4, /*steps=*/1, [&](int, int t) {
//     for (int64_t i = n * t / 4; i < n * (t + 1) / 4; ++i) y[i] = std::exp(x[i]);
//   });
//
// A helper that has nothing to do waits for more, at first awake, then asleep. What it has not
// begun when the caller is done with its own part, since the system runs another program on its
// core, is not waited for: the caller does it too. A forked process gets helpers of its own.
#ifndef LEMMA_AUTOGRAD_KERNELS_THREAD_TEAM_H_
#define LEMMA_AUTOGRAD_KERNELS_THREAD_TEAM_H_

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"

namespace lemma::kernels {

class ThreadTeam {
 public:
  ThreadTeam();
  // The helpers end by themselves.
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Calls fn(step, t) once for each step in [0, steps) and t in [0, threads), and no call of a step
  // before all of the one before have returned. t = 0 runs here, each other on a helper of that
  // number or, where it does not come in time, here too. Returns when all have returned. Not to be
  // called inside of fn, which must not throw. Where the system allows no more threads, fewer help.
  void Run(int threads, int steps, absl::FunctionRef<void(int step, int t)> fn);

 private:
  class Helper;

  void ForgetHelpersOfAnotherProcess();

  std::vector<std::shared_ptr<Helper>> helpers_;  // numbers 1, 2, ...
  int forks_;                                     // before this process began
};

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_THREAD_TEAM_H_
