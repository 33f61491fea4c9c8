// The results of a benchmark, and their JSON:
//
//   {"machine": {"cpu": ..., "cores": 2, "peak_f32_gflops": ..., "peak_bf16_gflops": ...,
//                "copy_gb_s": ..., "versions": {"oneDNN": "2.6.3", ...}},
//    "workloads": [{"name": "course-b1", "precision": "f32", "threads": 2, "median_ms": ...,
//                   "spread": ..., "tokens_per_s": ..., "share_of_peak": ..., "peak_bytes": ...,
//                   "peers": [{"name": "PyTorch", "version": "2.15.0", "mode": "eager",
//                              "median_ms": ..., "spread": ..., "peak_bytes": ..., "ratio":
//                              ...}]}],
//    "kernels": [{"name": ..., "median_ms": ..., "spread": ..., "gflops": ..., "gb_s": ...,
//                 "share_of_peak": ...}],
//    "missing_peers": ["JAX: ..."], "notes": ["..."]}
//
// What a workload or machine does not have is null, as the tokens of a small op.
#ifndef LEMMA_TOOLS_BENCH_REPORT_H_
#define LEMMA_TOOLS_BENCH_REPORT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/bench/limits.h"
#include "tools/bench/race.h"
#include "tools/bench/task.h"

namespace lemma::tools::bench {

struct PeerResult {
  std::string name = {};
  std::string version = {};
  std::string mode = {};
  double median_ms = 0;
  double spread = 0;
  double tokens_per_s = 0;
  int64_t peak_bytes = 0;
  double ratio = 0;  // its time over ours
};

struct WorkloadResult {
  std::string name = {};
  std::string precision = {};
  int threads = 0;
  double median_ms = 0;  // of a unit (workload.h)
  double spread = 0;     // statistics.h
  double tokens_per_s = 0;
  // Of training: model FLOPs over time over the peak of the precision. Of sampling with a cache:
  // the weights' bytes over time over the bandwidth of a copy. 0: there is no limit to compare
  // with.
  double share_of_peak = 0;
  int64_t peak_bytes = 0;  // above the started, idle program
  double loss = 0;         // of the last step of training; not in the JSON
  std::vector<PeerResult> peers = {};
};

struct KernelResult {
  std::string name = {};  // with its shape
  double median_ms = 0;
  double spread = 0;
  double gflops = 0;         // per second, where the work counts as operations
  double gb_s = 0;           // read and written, where it counts as memory
  double share_of_peak = 0;  // of the peak of its precision, or of the bandwidth of a copy
};

struct Machine {
  std::string cpu = {};
  int cores = 0;
  Limits limits = {};
  std::vector<std::pair<std::string, std::string>> versions = {};
};

struct Report {
  Machine machine = {};
  std::vector<WorkloadResult> workloads = {};
  std::vector<KernelResult> kernels = {};
  std::vector<std::string> missing_peers = {};  // name and reason
  std::vector<std::string> notes = {};          // what else a reader should know
};

// The result of a race, ours first. Peers that dropped out are left out.
WorkloadResult MakeResult(const Task& task, const std::vector<RaceResult>& race);

// Fills in the shares of the limits, which may be measured after the races.
void SetShares(Report& report);

std::string ReportToJson(const Report& report);
absl::StatusOr<Report> ReportFromJson(absl::string_view json);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_REPORT_H_
