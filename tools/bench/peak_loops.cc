#include "tools/bench/peak_loops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The targets of the kernels: AVX-512, AVX2 with FMA, and the baseline of the compiler.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/bench/peak_loops.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::tools::bench::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve sums: enough to hide a latency of five cycles behind two ports, and few enough for the 16
// registers of AVX2. They begin apart, or they would be one to the compiler.
LoopResult Floats(int64_t turns, float factor) {
  const hn::ScalableTag<float> f;
  const auto x = hn::Set(f, factor), y = hn::Set(f, 1e-6f);
  auto a = hn::Set(f, 0), b = hn::Set(f, 1), c = hn::Set(f, 2), d = hn::Set(f, 3);
  auto e = hn::Set(f, 4), g = hn::Set(f, 5), h = hn::Set(f, 6), i = hn::Set(f, 7);
  auto j = hn::Set(f, 8), k = hn::Set(f, 9), l = hn::Set(f, 10), m = hn::Set(f, 11);
  for (int64_t turn = 0; turn < turns; ++turn) {
    a = hn::MulAdd(x, y, a);
    b = hn::MulAdd(x, y, b);
    c = hn::MulAdd(x, y, c);
    d = hn::MulAdd(x, y, d);
    e = hn::MulAdd(x, y, e);
    g = hn::MulAdd(x, y, g);
    h = hn::MulAdd(x, y, h);
    i = hn::MulAdd(x, y, i);
    j = hn::MulAdd(x, y, j);
    k = hn::MulAdd(x, y, k);
    l = hn::MulAdd(x, y, l);
    m = hn::MulAdd(x, y, m);
  }
  const auto abcd = hn::Add(hn::Add(a, b), hn::Add(c, d));
  const auto eghi = hn::Add(hn::Add(e, g), hn::Add(h, i));
  const auto jklm = hn::Add(hn::Add(j, k), hn::Add(l, m));
  return {.flops = 2 * 12 * static_cast<double>(turns) * static_cast<double>(hn::Lanes(f)),
          .value = static_cast<double>(hn::GetLane(hn::Add(hn::Add(abcd, eghi), jklm)))};
}

}  // namespace
}  // namespace lemma::tools::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::tools::bench {
namespace {

HWY_EXPORT(Floats);

}  // namespace

LoopResult FloatLoop(int64_t turns) { return HWY_DYNAMIC_DISPATCH(Floats)(turns, 1.5f); }

#if defined(__x86_64__)
// 16 sums of 16 lanes, each the dot product of two pairs.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16"))) LoopResult BFloat16Loop(
    int64_t turns) {
  constexpr int kSums = 16;
  const __m512bh x = _mm512_cvtne2ps_pbh(_mm512_set1_ps(1.5f), _mm512_set1_ps(1.25f));
  const __m512bh y = _mm512_cvtne2ps_pbh(_mm512_set1_ps(1e-6f), _mm512_set1_ps(2e-6f));
  __m512 sums[kSums];
  for (int i = 0; i < kSums; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  for (int64_t turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 16
    for (int i = 0; i < kSums; ++i) sums[i] = _mm512_dpbf16_ps(sums[i], x, y);
  }
  for (int i = 1; i < kSums; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  return {.flops = 2 * 2 * 16 * kSums * static_cast<double>(turns),
          .value = static_cast<double>(_mm512_cvtss_f32(sums[0]))};
}
#else
LoopResult BFloat16Loop(int64_t) { return {}; }
#endif

}  // namespace lemma::tools::bench
#endif  // HWY_ONCE
