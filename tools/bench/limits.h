// What the machine can do at most, measured: the yardstick of everything else.
#ifndef LEMMA_TOOLS_BENCH_LIMITS_H_
#define LEMMA_TOOLS_BENCH_LIMITS_H_

#include <cstdint>

namespace lemma::tools::bench {

// Of all threads together. 0 stands for what the processor does not have or was not measured.
struct Limits {
  // Fused multiply-adds in registers.
  double f32_gflops = 0;
  // The better of AVX512-BF16's dot products in registers and of a product of large matrices.
  double bf16_gflops = 0;
  // A copy much larger than the caches, bytes read and bytes written both counted.
  double copy_gb_s = 0;
};

// Takes a second or two. A busy machine only makes results smaller, so each is the best of so many
// tries.
Limits MeasureLimits(int threads, int tries = 7);

// The larger of each.
Limits Best(const Limits& a, const Limits& b);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_LIMITS_H_
