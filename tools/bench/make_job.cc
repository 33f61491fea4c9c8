#include "tools/bench/make_job.h"

#include "absl/status/status.h"
#include "autograd/threads.h"
#include "tools/bench/sampling_job.h"
#include "tools/bench/small_op_job.h"
#include "tools/bench/training_job.h"

namespace lemma::tools::bench {

absl::StatusOr<std::unique_ptr<Job>> MakeJob(const Task& task) {
  Task prepared = task;
  SetPrecision(task.precision, prepared.workload.model);
  prepared.workload.model.recompute = task.recompute;
  SetNumThreads(task.threads);
  switch (task.workload.kind) {
    case WorkloadKind::kTrain:
      return MakeTrainingJob(prepared);
    case WorkloadKind::kSample:
    case WorkloadKind::kSamplePast:
      return MakeSamplingJob(prepared);
    case WorkloadKind::kSmallOp:
      return MakeSmallOpJob(prepared);
  }
  return absl::InternalError("a workload of no kind");
}

}  // namespace lemma::tools::bench
