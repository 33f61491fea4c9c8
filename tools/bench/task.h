// What a worker is asked to prepare: a workload, and how to run it. It crosses the pipe to the
// worker as JSON (see worker.h).
#ifndef LEMMA_TOOLS_BENCH_TASK_H_
#define LEMMA_TOOLS_BENCH_TASK_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/bench/precision.h"
#include "tools/bench/workload.h"

namespace lemma::tools::bench {

struct Task {
  Workload workload = {};
  Precision precision = Precision::kFloat32;
  int threads = 1;
  bool recompute = false;    // ours alone: blocks are computed anew in the backward, to save memory
  std::string batches = {};  // file of batches (batch_file.h), of kTrain
};

// {"workload": "course-b12", "kind": "train", "precision": "f32", "threads": 2, "batch": 12,
//  "recompute": false, "batches": "/tmp/...", "model": {...}}, the model as GptConfig::ToJson
//  writes it.
std::string TaskToJson(const Task& task);
absl::StatusOr<Task> TaskFromJson(absl::string_view json);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_TASK_H_
