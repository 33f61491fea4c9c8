// The helpers of one thread: threads that share its work, and begin within a fraction of a
// microsecond while they are kept busy.
//
//   ThreadTeam team;
//   team.Run(4, [&](int t) {
//     for (int64_t i = n * t / 4; i < n * (t + 1) / 4; ++i) y[i] = std::exp(x[i]);
//   });
//
// A helper that has nothing to do waits for more, at first awake, then asleep. One that does not
// begin before the caller is done with its own part, since the system runs another program on its
// core, is not waited for: the caller does its part too.
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

  // Calls fn(t) once for each t in [0, threads): fn(0) here, each other on a helper of that number
  // or, where it does not come in time, here after fn(0). Returns when all have returned. Not to be
  // called inside of fn, which must not throw. Where the system allows no more threads, fewer help.
  void Run(int threads, absl::FunctionRef<void(int)> fn);

 private:
  class Shared;
  struct Helper;

  std::shared_ptr<Shared> shared_;
  std::vector<std::shared_ptr<Helper>> helpers_;  // numbers 1, 2, ...
};

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_THREAD_TEAM_H_
