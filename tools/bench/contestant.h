// One that takes part in a benchmark: it has a workload prepared and runs units of it when told.
#ifndef LEMMA_TOOLS_BENCH_CONTESTANT_H_
#define LEMMA_TOOLS_BENCH_CONTESTANT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/bench/child.h"
#include "tools/bench/task.h"

namespace lemma::tools::bench {

// What it runs in: of a peer as "PyTorch" "2.15.0" "compiled".
struct ContestantInfo {
  std::string name = {};
  std::string version = {};
  std::string mode = {};
  int64_t parameters = 0;
  int64_t idle_bytes = 0;
};

struct RunTimes {
  std::vector<double> unit_ms = {};
  double loss = 0;
  int64_t peak_bytes = 0;
};

class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual absl::StatusOr<ContestantInfo> Prepare(const Task& task) = 0;
  virtual absl::StatusOr<RunTimes> Run(int64_t units) = 0;
};

// A worker in a process of its own (worker.h).
class WorkerContestant : public Contestant {
 public:
  // `waiting` is called some times a second while the worker works.
  static absl::StatusOr<std::unique_ptr<Contestant>> Start(const std::vector<std::string>& command,
                                                           const ChildEnvironment& environment,
                                                           std::function<void()> waiting);

  absl::StatusOr<ContestantInfo> Prepare(const Task& task) override;
  absl::StatusOr<RunTimes> Run(int64_t units) override;

 private:
  WorkerContestant(std::unique_ptr<Child> child, std::function<void()> waiting);
  absl::StatusOr<std::string> Ask(const std::string& request);

  const std::unique_ptr<Child> child_;
  const std::function<void()> waiting_;
};

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_CONTESTANT_H_
