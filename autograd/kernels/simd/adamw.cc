#include "autograd/kernels/simd/adamw.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "autograd/kernels/adamw_args.h"
#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_ADAMW_ONCE_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_ADAMW_ONCE_
namespace lemma::kernels::simd {
namespace {

struct FloatScalars {
  float grad_scale, decay, weight1, beta2, weight2, eps, step_size;
};

}  // namespace
}  // namespace lemma::kernels::simd
#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_ADAMW_ONCE_

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/adamw.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

// Elements ahead of those that are updated.
constexpr int64_t kAhead = 256;

// All threads have read the parameters, so that each line is in several caches. A store that finds
// it so waits until the others have dropped it, and the stores behind it wait too. In assembler,
// since the builtin asks for reading where the compiler is not told that there is prefetchw; what
// does not know it skips it.
HWY_INLINE void TakeForWriting(const float* p) {
#if HWY_ARCH_X86
  asm volatile("prefetchw %0" : : "m"(*p));
#else
  __builtin_prefetch(p, 1);
#endif
}

// No fused multiply-adds: with the same roundings as the definition the bits are the same.
void Update(const AdamWTensor<float>& tensor, int64_t begin, int64_t end, const FloatScalars& s) {
  const F32 f;
  const V32 grad_scale = hn::Set(f, s.grad_scale), decay = hn::Set(f, s.decay),
            weight1 = hn::Set(f, s.weight1), beta2 = hn::Set(f, s.beta2),
            weight2 = hn::Set(f, s.weight2), eps = hn::Set(f, s.eps),
            step_size = hn::Set(f, s.step_size);
  ForVectors(begin, end, [&](int64_t i, auto a) HWY_ATTR {
    TakeForWriting(tensor.param + std::min(i + kAhead, end - 1));
    const V32 g = hn::Mul(a.Load(tensor.grad + i), grad_scale);
    V32 m = a.Load(tensor.exp_avg + i);
    V32 v = a.Load(tensor.exp_avg_sq + i);
    const V32 p = hn::Mul(a.Load(tensor.param + i), decay);
    m = hn::Add(m, hn::Mul(weight1, hn::Sub(g, m)));
    v = hn::Add(hn::Mul(v, beta2), hn::Mul(hn::Mul(weight2, g), g));
    const V32 denom = hn::Add(hn::Sqrt(v), eps);
    a.Store(hn::Sub(p, hn::Div(hn::Mul(step_size, m), denom)), tensor.param + i);
    a.Store(m, tensor.exp_avg + i);
    a.Store(v, tensor.exp_avg_sq + i);
  });
}

double Squares(int64_t n, const float* x) {
  using F64 = hn::ScalableTag<double>;
  const F64 d;
  const hn::Rebind<float, F64> half;
  constexpr int64_t kStep = hn::MaxLanes(F64());
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d);
  int64_t i = 0;
  for (; i + 2 * kStep <= n; i += 2 * kStep) {
    const auto x0 = hn::PromoteTo(d, hn::LoadU(half, x + i));
    const auto x1 = hn::PromoteTo(d, hn::LoadU(half, x + i + kStep));
    sum0 = hn::MulAdd(x0, x0, sum0);
    sum1 = hn::MulAdd(x1, x1, sum1);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  for (; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(Update);
HWY_EXPORT(Squares);

constexpr int64_t kChunk = 8192;  // elements

// Calls fn(item, begin, end) for the chunks [first, last) of all items, counted one after the
// other; every item begins a chunk of its own.
template <typename Item, typename Fn>
void ForChunks(std::span<const Item> items, int64_t first, int64_t last, const Fn& fn) {
  int64_t chunk = 0;
  for (const Item& item : items) {
    const int64_t next = chunk + NumChunks(item.n, kChunk);
    for (int64_t c = std::max(chunk, first); c < std::min(next, last); ++c) {
      const int64_t begin = (c - chunk) * kChunk;
      fn(c, item, begin, std::min(begin + kChunk, item.n));
    }
    chunk = next;
    if (chunk >= last) return;
  }
}

template <typename Item>
int64_t CountChunks(std::span<const Item> items) {
  int64_t chunks = 0;
  for (const Item& item : items) chunks += NumChunks(item.n, kChunk);
  return chunks;
}

}  // namespace

void AdamWUpdate(std::span<const AdamWTensor<float>> tensors, const AdamWOptions& options) {
  const AdamWScalars scalars(options);
  const FloatScalars s = {.grad_scale = static_cast<float>(options.grad_scale),
                          .decay = static_cast<float>(scalars.decay),
                          .weight1 = static_cast<float>(1.0 - options.beta1),
                          .beta2 = static_cast<float>(options.beta2),
                          .weight2 = static_cast<float>(1.0 - options.beta2),
                          .eps = static_cast<float>(scalars.eps),
                          .step_size = static_cast<float>(scalars.step_size)};
  ParallelFor(CountChunks(tensors), 1, [&](int64_t first, int64_t last) {
    const auto update = HWY_DYNAMIC_DISPATCH(Update);
    ForChunks(tensors, first, last,
              [&](int64_t, const AdamWTensor<float>& tensor, int64_t begin, int64_t end) {
                update(tensor, begin, end, s);
              });
  });
}

double SumOfSquares(std::span<const ConstRun<float>> runs) {
  thread_local std::vector<double> sums;
  const int64_t chunks = CountChunks(runs);
  sums.resize(static_cast<size_t>(chunks));
  double* out = sums.data();
  ParallelFor(chunks, 2, [&](int64_t first, int64_t last) {
    const auto squares = HWY_DYNAMIC_DISPATCH(Squares);
    ForChunks(runs, first, last,
              [&](int64_t c, const ConstRun<float>& run, int64_t begin, int64_t end) {
                out[c] = squares(end - begin, run.data + begin);
              });
  });
  double total = 0;
  for (int64_t c = 0; c < chunks; ++c) total += out[c];
  return total;
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
