#include "tools/bench/limits.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/matmul.h"
#include "autograd/threads.h"
#include "tools/bench/clock.h"
#include "tools/bench/peak_loops.h"
#include "tools/bench/precision.h"

namespace lemma::tools::bench {
namespace {

constexpr double kTrySeconds = 0.05;
constexpr size_t kCopyBytes = size_t{256} << 20;

// Runs fn(t) on each of the threads at once; the seconds from the common start to the last end.
double SecondsOnThreads(int threads, const std::function<void(int)>& fn) {
  std::atomic<int> ready = 0;
  std::atomic<bool> go = false;
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([&, t] {
      ++ready;
      while (!go) std::this_thread::yield();
      fn(t);
    });
  }
  while (ready < threads) std::this_thread::yield();
  const double start = NowSeconds();
  go = true;
  for (std::thread& thread : pool) thread.join();
  return NowSeconds() - start;
}

// GFLOP/s of a loop on all threads.
double LoopGflops(int threads, int tries, LoopResult (*loop)(int64_t)) {
  double best = 0;
  int64_t turns = 1 << 16;
  for (int done = 0; done < tries;) {
    std::vector<LoopResult> results(static_cast<size_t>(threads));
    const double seconds = SecondsOnThreads(threads, [&](int t) { results[t] = loop(turns); });
    double flops = 0;
    for (const LoopResult& result : results) flops += result.flops;
    best = std::max(best, 1e-9 * flops / seconds);
    if (seconds < kTrySeconds) {
      turns *= 2;
    } else {
      ++done;
    }
  }
  return best;
}

// GFLOP/s of MatMul of bfloat16 matrices, in whatever instructions it is computed.
double ProductGflops(int threads, int tries) {
  constexpr int64_t kSize = 2048;
  SetNumThreads(threads);
  const Tensor a = Cast(Full({kSize, kSize}, 1.5), DType::kBFloat16);
  double best = 0;
  for (int i = 0; i <= tries; ++i) {
    const double start = NowSeconds();
    const Tensor c = MatMul(a, a);
    best = std::max(best, 2e-9 * kSize * kSize * kSize / (NowSeconds() - start));
  }
  return best;
}

double CopyGbPerSecond(int threads, int tries) {
  // Each thread copies a part of its own, which it touched first.
  const size_t part = kCopyBytes / static_cast<size_t>(threads) / 64 * 64;
  std::vector<std::unique_ptr<char[]>> from(threads), to(threads);
  SecondsOnThreads(threads, [&](int t) {
    from[t] = std::make_unique<char[]>(part);
    to[t] = std::make_unique<char[]>(part);
  });
  double best = 0;
  for (int i = 0; i < tries; ++i) {
    const double seconds =
        SecondsOnThreads(threads, [&](int t) { std::memcpy(to[t].get(), from[t].get(), part); });
    best = std::max(best, 2e-9 * static_cast<double>(part) * threads / seconds);
  }
  return best;
}

}  // namespace

Limits MeasureLimits(int threads, int tries) {
  Limits limits;
  limits.f32_gflops = LoopGflops(threads, tries, FloatLoop);
  if (ProcessorHasBFloat16()) {
    limits.bf16_gflops =
        std::max(LoopGflops(threads, tries, BFloat16Loop), ProductGflops(threads, tries));
  }
  limits.copy_gb_s = CopyGbPerSecond(threads, tries);
  return limits;
}

Limits Best(const Limits& a, const Limits& b) {
  return {.f32_gflops = std::max(a.f32_gflops, b.f32_gflops),
          .bf16_gflops = std::max(a.bf16_gflops, b.bf16_gflops),
          .copy_gb_s = std::max(a.copy_gb_s, b.copy_gb_s)};
}

}  // namespace lemma::tools::bench
