#include "tools/bench/kernel_runs.h"

#include <utility>

#include "autograd/threads.h"
#include "benchmark/benchmark.h"
#include "tools/bench/statistics.h"

namespace lemma::tools::bench {
namespace {

constexpr double kToGiga = 1e-9;

// The value of a counter, 0 where a benchmark does not have it.
double Counter(const benchmark::BenchmarkReporter::Run& run, const char* name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? 0 : found->second.value;
}

// Makes a result of the repetitions of each benchmark.
class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(const std::function<void(const std::string&)>& progress)
      : progress_(progress) {}

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<double> ms, gflops, gb_s;
    std::string name;
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      name = run.run_name.function_name;
      if (!run.run_name.args.empty()) name += "/" + run.run_name.args;
      ms.push_back(1e3 * run.real_accumulated_time / static_cast<double>(run.iterations));
      gflops.push_back(kToGiga * Counter(run, "FLOP/s"));
      gb_s.push_back(kToGiga * Counter(run, "bytes_per_second"));
    }
    if (ms.empty()) return;
    results.push_back({.name = name,
                       .median_ms = Median(ms),
                       .spread = Spread(ms),
                       .gflops = Median(gflops),
                       .gb_s = Median(gb_s)});
    progress_(name);
  }

  std::vector<KernelResult> results;

 private:
  const std::function<void(const std::string&)>& progress_;
};

// Google Benchmark takes its options from a command line.
void SetOptions() {
  std::string words[] = {"bench", "--benchmark_min_time=0.03", "--benchmark_repetitions=3"};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data()};
  int count = 3;
  benchmark::Initialize(&count, arguments);
}

}  // namespace

std::vector<KernelResult> RunKernels(const std::string& filter, int threads,
                                     const std::function<void(const std::string&)>& progress) {
  SetNumThreads(threads);
  SetOptions();
  Collector collector(progress);
  benchmark::RunSpecifiedBenchmarks(&collector, filter);
  return std::move(collector.results);
}

}  // namespace lemma::tools::bench
