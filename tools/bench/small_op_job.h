// The cost of one call of a small op: an add of 16 elements, by Google Benchmark.
#ifndef LEMMA_TOOLS_BENCH_SMALL_OP_JOB_H_
#define LEMMA_TOOLS_BENCH_SMALL_OP_JOB_H_

#include <memory>

#include "absl/status/statusor.h"
#include "tools/bench/job.h"
#include "tools/bench/task.h"

namespace lemma::tools::bench {

// Workloads "add" (nothing recorded), "add-recorded" (for a gradient of both operands) and
// "add-backward" (recorded, and its walk back with a given gradient of the sum). Each run gives ten
// times, means over a tenth of its units.
absl::StatusOr<std::unique_ptr<Job>> MakeSmallOpJob(const Task& task);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_SMALL_OP_JOB_H_
