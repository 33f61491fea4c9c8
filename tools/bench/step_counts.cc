#include "tools/bench/step_counts.h"

#include <stdlib.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autograd/error.h"
#include "autograd/threads.h"
#include "nlohmann/json.hpp"
#include "tools/bench/batch_file.h"
#include "tools/bench/batches.h"
#include "tools/bench/job.h"
#include "tools/bench/sampling_job.h"
#include "tools/bench/task.h"
#include "tools/bench/training_job.h"
#include "tools/bench/workload.h"

namespace lemma::tools::bench {
namespace {

constexpr int kWarmUpUnits = 3;
constexpr int64_t kTokens = 10000;

std::unique_ptr<Job> MakeCountedJob(const Workload& workload) {
  if (workload.kind == WorkloadKind::kTrain) {
    const BenchText text = {.tokens = ZipfTokens(workload.model.vocab, kTokens)};
    return std::make_unique<TrainingJob>(workload.model, *MakeBatches(workload, text));
  }
  return *MakeSamplingJob({.workload = workload});
}

}  // namespace

const std::vector<std::string>& CountedWorkloads() {
  static const auto* names =
      new std::vector<std::string>{"course-b1", "course-b12", "sample-course"};
  return *names;
}

EngineCounts CountUnit(const std::string& name) {
  // AMX tiles share their work in other regions: without them counts are the same on all machines.
  setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", /*replace=*/1);
  const Workload* const workload = FindWorkload(name);
  LEMMA_CHECK(workload != nullptr, "there is no workload ", name);
  SetNumThreads(2);
  const std::unique_ptr<Job> job = MakeCountedJob(*workload);
  job->Run(kWarmUpUnits);
  const EngineCounts before = GetEngineCounts();
  job->Run(1);
  return GetEngineCounts() - before;
}

std::vector<std::pair<std::string, int64_t>> CountList(const EngineCounts& counts) {
  return {{"recorded_calls", counts.recorded_calls},
          {"parallel_regions", counts.parallel_regions},
          {"primitives", counts.primitives},
          {"allocations", counts.allocations},
          {"system_allocations", counts.system_allocations},
          {"allocated_bytes", counts.allocated_bytes}};
}

std::string CountsToJson(const CountTable& counts) { return nlohmann::json(counts).dump(1) + "\n"; }

absl::StatusOr<CountTable> CountsFromJson(absl::string_view text) {
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  try {
    return json.get<CountTable>();
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("these are no counts: ", error.what()));
  }
}

}  // namespace lemma::tools::bench
