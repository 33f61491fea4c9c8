// Writing text, one sequence, one token at a time.
#ifndef LEMMA_TOOLS_BENCH_SAMPLING_JOB_H_
#define LEMMA_TOOLS_BENCH_SAMPLING_JOB_H_

#include <memory>

#include "absl/status/statusor.h"
#include "tools/bench/job.h"
#include "tools/bench/task.h"

namespace lemma::tools::bench {

// kSample: a unit is a window, T tokens drawn one by one with a cache, the first from a text of one
// token. kSamplePast: a unit is one token of a text longer than T, whose window is computed anew.
absl::StatusOr<std::unique_ptr<Job>> MakeSamplingJob(const Task& task);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_SAMPLING_JOB_H_
