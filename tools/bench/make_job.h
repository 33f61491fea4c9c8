// The job of a task.
#ifndef LEMMA_TOOLS_BENCH_MAKE_JOB_H_
#define LEMMA_TOOLS_BENCH_MAKE_JOB_H_

#include <memory>

#include "absl/status/statusor.h"
#include "tools/bench/job.h"
#include "tools/bench/task.h"

namespace lemma::tools::bench {

// Prepares the task's workload, with the task's number of threads for the whole process.
absl::StatusOr<std::unique_ptr<Job>> MakeJob(const Task& task);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_MAKE_JOB_H_
