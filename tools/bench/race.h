// Running contestants in turn, so that whatever the machine does meanwhile hits all alike.
#ifndef LEMMA_TOOLS_BENCH_RACE_H_
#define LEMMA_TOOLS_BENCH_RACE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/bench/contestant.h"
#include "tools/bench/task.h"

namespace lemma::tools::bench {

struct RaceOptions {
  int64_t rounds = 5;            // A B A B ...: how often each one's turn comes
  double seconds = 5;            // that each one measures in all, at least one unit a turn
  double warm_up_seconds = 0.5;  // and at least two turns of a unit
};

// What is known of one contestant after the race. `status` tells why one dropped out; its other
// fields do not count then.
struct RaceResult {
  absl::Status status = absl::OkStatus();
  ContestantInfo info = {};
  std::vector<double> unit_ms = {};
  double loss = 0;         // of the last step
  int64_t peak_bytes = 0;  // above the started, idle program, while it was measured
};

// Has every contestant prepare the task, warms each up, and then runs them in turn. `progress` is
// told what happens, as "preparing program 1 of 3" or "round 2 of 5, PyTorch eager".
std::vector<RaceResult> RunRace(const std::vector<Contestant*>& contestants, const Task& task,
                                const RaceOptions& options,
                                const std::function<void(const std::string&)>& progress);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_RACE_H_
