#include "tools/bench/kernel_runs.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

TEST(KernelRuns, MeasuresWhatMatches) {
  std::vector<std::string> told;
  const std::vector<KernelResult> results =
      RunKernels("MatMulForward<float>/rows:64/in:128/", 1,
                 [&](const std::string& name) { told.push_back(name); });
  ASSERT_EQ(results.size(), 4u);  // 128, 384, 512 and 65 columns
  EXPECT_EQ(results[0].name, "MatMulForward<float>/rows:64/in:128/out:128");
  EXPECT_EQ(told.size(), 4u);
  for (const KernelResult& result : results) {
    EXPECT_GT(result.median_ms, 0) << result.name;
    EXPECT_GT(result.gflops, 0) << result.name;
    EXPECT_EQ(result.gb_s, 0) << result.name;
  }
}

TEST(KernelRuns, KernelsBoundByMemoryHaveBytes) {
  const std::vector<KernelResult> results =
      RunKernels("simd::LayerNormForward>/64/128", 1, [](const std::string&) {});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_GT(results[0].gb_s, 0);
  EXPECT_EQ(results[0].gflops, 0);
}

TEST(KernelRuns, NothingMatchesIsNothing) {
  EXPECT_TRUE(RunKernels("no such kernel", 1, [](const std::string&) {}).empty());
}

}  // namespace
}  // namespace lemma::tools::bench
