#include "tools/bench/limits.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tools/bench/peak_loops.h"
#include "tools/bench/precision.h"

namespace lemma::tools::bench {
namespace {

TEST(PeakLoops, FloatsMultiplyAndAddAsTheyClaim) {
  const LoopResult once = FloatLoop(1000), twice = FloatLoop(2000);
  EXPECT_GE(once.flops, 2.0 * 12 * 1000);
  EXPECT_EQ(twice.flops, 2 * once.flops);
  // A lane of the twelve sums: 0 + 1 + ... + 11, and 1.5e-6 added to each in each turn, rounded.
  EXPECT_NEAR(once.value, 66 + 12 * 1000 * 1.5e-6, 0.01);
  EXPECT_NE(twice.value, once.value);
}

TEST(PeakLoops, BFloat16DotProductsDoToo) {
  if (!ProcessorHasBFloat16()) GTEST_SKIP() << "the processor has no AVX512-BF16";
  const LoopResult once = BFloat16Loop(1000);
  EXPECT_EQ(once.flops, 2.0 * 2 * 16 * 16 * 1000);
  // Both of a lane's pairs are alike in the upper or the lower half: 1.25 * 2e-6 twice. Sixteen
  // sums from 0 to 15.
  EXPECT_NEAR(once.value, 120 + 16 * 1000 * 2 * 1.25 * 2e-6, 0.05);
}

TEST(Limits, AreFiniteAndPositive) {
  const Limits limits = MeasureLimits(/*threads=*/1, /*tries=*/1);
  EXPECT_GT(limits.f32_gflops, 0);
  EXPECT_GT(limits.copy_gb_s, 0);
  EXPECT_EQ(limits.bf16_gflops > 0, ProcessorHasBFloat16());
  EXPECT_TRUE(std::isfinite(limits.f32_gflops + limits.bf16_gflops + limits.copy_gb_s));
}

TEST(Limits, BestTakesTheLargerOfEach) {
  const Limits best = Best({.f32_gflops = 1, .bf16_gflops = 5, .copy_gb_s = 3},
                           {.f32_gflops = 2, .bf16_gflops = 4, .copy_gb_s = 3.5});
  EXPECT_EQ(best.f32_gflops, 2);
  EXPECT_EQ(best.bf16_gflops, 5);
  EXPECT_EQ(best.copy_gb_s, 3.5);
}

}  // namespace
}  // namespace lemma::tools::bench
