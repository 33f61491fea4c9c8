#include "tools/bench/small_op_job.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "benchmark/benchmark.h"

namespace lemma::tools::bench {
namespace {

constexpr int64_t kElements = 16;
constexpr int kGroups = 10;

void AddPlain(benchmark::State& state) {
  const Tensor a = Ones({kElements}), b = Ones({kElements});
  for (auto _ : state) benchmark::DoNotOptimize(Add(a, b));
}

void AddRecorded(benchmark::State& state) {
  const Tensor a = Ones({kElements}).SetRequiresGrad(true);
  const Tensor b = Ones({kElements}).SetRequiresGrad(true);
  for (auto _ : state) benchmark::DoNotOptimize(Add(a, b));
}

// The gradients are dropped each time, as a training step does.
void AddBackward(benchmark::State& state) {
  Tensor a = Ones({kElements}).SetRequiresGrad(true), b = Ones({kElements}).SetRequiresGrad(true);
  const GradOptions options = {.grad_outputs = {Ones({kElements})}};
  for (auto _ : state) {
    Backward(Add(a, b), options);
    a.SetGrad(Tensor());
    b.SetGrad(Tensor());
  }
}

using Body = void (*)(benchmark::State&);

Body FindBody(const std::string& name) {
  if (name == "add") return AddPlain;
  if (name == "add-recorded") return AddRecorded;
  return name == "add-backward" ? AddBackward : nullptr;
}

// Keeps the time of an iteration in each repetition.
class Times : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration) unit_ms.push_back(run.GetAdjustedRealTime() * 1e-6);
    }
  }
  std::vector<double> unit_ms;
};

class SmallOpJob : public Job {
 public:
  explicit SmallOpJob(Body body) : body_(body) {}

  JobTimes Run(int64_t units) override {
    benchmark::RegisterBenchmark("small_op", body_)
        ->Iterations(std::max<int64_t>(units / kGroups, 1))
        ->Repetitions(kGroups)
        ->UseRealTime();
    Times times;
    benchmark::RunSpecifiedBenchmarks(&times, "^small_op/");
    benchmark::ClearRegisteredBenchmarks();
    return {.unit_ms = std::move(times.unit_ms)};
  }

 private:
  const Body body_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Job>> MakeSmallOpJob(const Task& task) {
  const Body body = FindBody(task.workload.name);
  if (body == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("no small op is called ", task.workload.name));
  }
  return std::make_unique<SmallOpJob>(body);
}

}  // namespace lemma::tools::bench
