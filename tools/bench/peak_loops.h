// Loops that do nothing but multiply and add in registers, as fast as a core can.
#ifndef LEMMA_TOOLS_BENCH_PEAK_LOOPS_H_
#define LEMMA_TOOLS_BENCH_PEAK_LOOPS_H_

#include <cstdint>

namespace lemma::tools::bench {

struct LoopResult {
  double flops = 0;  // floating point operations done; a product and its sum are two
  double value = 0;  // what came out, so that nothing is optimised away
};

// `turns` turns of fused multiply-adds of float32 in the widest vectors of the processor.
LoopResult FloatLoop(int64_t turns);

// The same with the dot products of bfloat16 pairs of AVX512-BF16. Only where
// ProcessorHasBFloat16() (precision.h).
LoopResult BFloat16Loop(int64_t turns);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_PEAK_LOOPS_H_
