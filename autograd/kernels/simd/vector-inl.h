// What the vector kernels share: partial loads and stores at the end of an array, sums over the
// lanes and loops over elements. Compiled once for each target.
//
// Loops hand whole vectors to their function, the last one padded with zeros, so every element
// gets the same operations wherever it stands.

// clang-format off
#if defined(LEMMA_AUTOGRAD_KERNELS_SIMD_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEMMA_AUTOGRAD_KERNELS_SIMD_VECTOR_INL_H_
#undef LEMMA_AUTOGRAD_KERNELS_SIMD_VECTOR_INL_H_
#else
#define LEMMA_AUTOGRAD_KERNELS_SIMD_VECTOR_INL_H_
#endif
// clang-format on

#include <cstddef>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"

// Before a loop of few, constant turns whose vectors are to stay in registers.
#undef LEMMA_UNROLL
#define LEMMA_UNROLL _Pragma("GCC unroll 16")

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using V32 = hn::Vec<F32>;
inline constexpr int64_t kLanes = hn::MaxLanes(F32());

// p[0 .. count) and then zeros; count < kLanes.
HWY_INLINE V32 LoadPart(F32 f, const float* p, int64_t count) {
#if HWY_TARGET <= HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(f, static_cast<size_t>(count)), f, p);
#else
  HWY_ALIGN float lanes[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) lanes[i] = p[i];
  return hn::Load(f, lanes);
#endif
}

// Stores the first `count` lanes to p.
HWY_INLINE void StorePart(F32 f, V32 v, float* p, int64_t count) {
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(f, static_cast<size_t>(count)), f, p);
#else
  HWY_ALIGN float lanes[kLanes];
  hn::Store(v, f, lanes);
  for (int64_t i = 0; i < count; ++i) p[i] = lanes[i];
#endif
}

HWY_INLINE float Sum(F32 f, V32 v) { return hn::GetLane(hn::SumOfLanes(f, v)); }
HWY_INLINE float Max(F32 f, V32 v) { return hn::GetLane(hn::MaxOfLanes(f, v)); }

#if HWY_TARGET != HWY_SCALAR
// Combines the blocks of 128 bits and stores the four results.
template <typename D, typename Combine>
HWY_INLINE void StoreReducedBlocks(D d, hn::Vec<D> v, const Combine& combine, float* out) {
  if constexpr (hn::MaxLanes(d) == 4) {
    hn::StoreU(v, d, out);
  } else {
    const hn::Half<D> half;
    StoreReducedBlocks(half, combine(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), combine, out);
  }
}
#endif

// Brings `combine`, a sum or a maximum of two vectors, over the lanes of four vectors at a time;
// every result goes through the same tree.
template <typename Combine>
HWY_INLINE void ReduceFour([[maybe_unused]] F32 f, V32 a, V32 b, V32 c, V32 d,
                           [[maybe_unused]] const Combine& combine, float* HWY_RESTRICT out) {
#if HWY_TARGET == HWY_SCALAR
  const V32 all[4] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) out[i] = hn::GetLane(all[i]);
#else
  const V32 ac = combine(hn::InterleaveLower(f, a, c), hn::InterleaveUpper(f, a, c));
  const V32 bd = combine(hn::InterleaveLower(f, b, d), hn::InterleaveUpper(f, b, d));
  const V32 blocks = combine(hn::InterleaveLower(f, ac, bd), hn::InterleaveUpper(f, ac, bd));
  StoreReducedBlocks(f, blocks, combine, out);
#endif
}

// A run of floats, read at offset i: whole vectors, or `count` lanes of one.
struct Whole {
  HWY_INLINE V32 Load(const float* p) const { return hn::LoadU(F32(), p); }
  HWY_INLINE void Store(V32 v, float* p) const { hn::StoreU(v, F32(), p); }
};
struct Part {
  int64_t count;
  HWY_INLINE V32 Load(const float* p) const { return LoadPart(F32(), p, count); }
  HWY_INLINE void Store(V32 v, float* p) const { StorePart(F32(), v, p, count); }
};

// Calls fn(i, access) for each vector of [begin, end), where access is a Whole or, for the last
// vector, may be a Part. Loads and stores of elements i .. go through it.
template <typename Fn>
HWY_INLINE void ForVectors(int64_t begin, int64_t end, const Fn& fn) {
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) fn(i, Whole{});
  if (i < end) fn(i, Part{end - i});
}

// The lanes of a vector of `Access` that hold elements, the others replaced by `other`.
HWY_INLINE V32 Valid(Whole, V32 v, V32) { return v; }
HWY_INLINE V32 Valid(Part part, V32 v, V32 other) {
  return hn::IfThenElse(hn::FirstN(F32(), static_cast<size_t>(part.count)), v, other);
}

// The sum over [0, n) of fn(i, access), a vector of terms whose padding lanes count as 0. Four
// running sums, so that additions need not wait for each other.
template <typename Fn>
HWY_INLINE float SumOver(int64_t n, const Fn& fn) {
  const F32 f;
  const V32 zero = hn::Zero(f);
  V32 sum0 = zero, sum1 = zero, sum2 = zero, sum3 = zero;
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    sum0 = hn::Add(sum0, fn(i, Whole{}));
    sum1 = hn::Add(sum1, fn(i + kLanes, Whole{}));
    sum2 = hn::Add(sum2, fn(i + 2 * kLanes, Whole{}));
    sum3 = hn::Add(sum3, fn(i + 3 * kLanes, Whole{}));
  }
  for (; i + kLanes <= n; i += kLanes) sum0 = hn::Add(sum0, fn(i, Whole{}));
  if (i < n) {
    const Part part{n - i};
    sum1 = hn::Add(sum1, Valid(part, fn(i, part), zero));
  }
  return Sum(f, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_VECTOR_INL_H_
