// A whole run of the benchmark: limits, races, report.
#ifndef LEMMA_TOOLS_BENCH_SESSION_H_
#define LEMMA_TOOLS_BENCH_SESSION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/bench/peers.h"
#include "tools/bench/precision.h"
#include "tools/bench/race.h"
#include "tools/bench/report.h"
#include "tools/bench/workload.h"
#include "tools/status_line.h"

namespace lemma::tools::bench {

struct SessionOptions {
  std::vector<Workload> workloads = {};
  Precision precision = Precision::kFloat32;
  bool recompute = false;
  int threads = 1;  // of all but small ops, which take one
  RaceOptions race = {};
  std::string data_dir = {};
  std::vector<std::string> own_command = {};  // starts this program as a worker
  std::vector<PeerProgram> peers = {};
  std::string kernels = {};  // filter of kernel_runs.h; "": none
};

// Runs the workloads one after the other, then kernels, and shows on `line` what happens meanwhile.
// Each race is between processes of its own, so a workload's memory is not that of the one before.
// An error where one of our own cannot be run.
absl::StatusOr<Report> RunSession(const SessionOptions& options, StatusLine* line);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_SESSION_H_
