// The benchmarks of the kernels (autograd/kernels/*_benchmark.cc) on the shapes of the models, by
// Google Benchmark.
#ifndef LEMMA_TOOLS_BENCH_KERNEL_RUNS_H_
#define LEMMA_TOOLS_BENCH_KERNEL_RUNS_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/bench/report.h"

namespace lemma::tools::bench {

// Every kernel but the reference templates: everything that is registered and does not match.
inline constexpr char kAllKernels[] = "-reference";

// Runs the benchmarks whose names match a regular expression, or with a "-" in front of it those
// whose names do not. `progress` is told the name of each that is done. Shares are 0 still.
std::vector<KernelResult> RunKernels(const std::string& filter, int threads,
                                     const std::function<void(const std::string&)>& progress);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_KERNEL_RUNS_H_
