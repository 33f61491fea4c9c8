#include "autograd/kernels/simd/matvec.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/matvec.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

HWY_INLINE V32 LoadFloats(const float* p) { return hn::LoadU(F32(), p); }

HWY_INLINE V32 LoadFloats(const BFloat16* p) {
  const hn::Rebind<uint16_t, F32> half;
  const hn::RebindToUnsigned<F32> word;
  const auto bits = hn::PromoteTo(word, hn::LoadU(half, reinterpret_cast<const uint16_t*>(p)));
  return hn::BitCast(F32(), hn::ShiftLeft<16>(bits));
}

// sums[r] = w[r] . x for kRows rows at once: x is loaded once for all, and with two running sums a
// row the additions need not wait for each other.
template <int kRows, typename T>
HWY_INLINE void Dots(int64_t k, const T* HWY_RESTRICT w, int64_t w_row, const T* HWY_RESTRICT x,
                     float* HWY_RESTRICT sums) {
  const F32 f;
  V32 even[kRows], odd[kRows];
  LEMMA_UNROLL
  for (int r = 0; r < kRows; ++r) even[r] = odd[r] = hn::Zero(f);
  int64_t l = 0;
  for (; l + 2 * kLanes <= k; l += 2 * kLanes) {
    const V32 x0 = LoadFloats(x + l), x1 = LoadFloats(x + l + kLanes);
    LEMMA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      even[r] = hn::MulAdd(LoadFloats(w + r * w_row + l), x0, even[r]);
      odd[r] = hn::MulAdd(LoadFloats(w + r * w_row + l + kLanes), x1, odd[r]);
    }
  }
  for (; l + kLanes <= k; l += kLanes) {
    const V32 x0 = LoadFloats(x + l);
    LEMMA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      even[r] = hn::MulAdd(LoadFloats(w + r * w_row + l), x0, even[r]);
    }
  }
  LEMMA_UNROLL
  for (int r = 0; r < kRows; ++r) {
    float sum = Sum(f, hn::Add(even[r], odd[r]));
    for (int64_t i = l; i < k; ++i) {
      sum += static_cast<float>(w[r * w_row + i]) * static_cast<float>(x[i]);
    }
    sums[r] = sum;
  }
}

// Rows at a time: as many as have their sums in registers.
constexpr int kRows = kLanes == 16 ? 8 : 4;

// sums[j] = w[j] . x [+ bias[j]]. The rows of a group are far apart, as memory gives more to
// several streams than to one.
template <typename T>
HWY_INLINE void AllDots(int64_t n, int64_t k, const T* w, int64_t w_row, const T* x,
                        const float* bias, float* sums) {
  const int64_t groups = n / kRows;
  for (int64_t j = 0; j < groups; ++j) {
    float of_group[kRows];
    Dots<kRows>(k, w + j * w_row, groups * w_row, x, of_group);
    for (int r = 0; r < kRows; ++r) sums[j + r * groups] = of_group[r];
  }
  for (int64_t j = groups * kRows; j < n; ++j) Dots<1>(k, w + j * w_row, w_row, x, sums + j);
  if (bias == nullptr) return;
  ForVectors(0, n, [=](int64_t i, auto a) HWY_ATTR {
    a.Store(hn::Add(a.Load(sums + i), a.Load(bias + i)), sums + i);
  });
}

void DotsFloat(int64_t n, int64_t k, const float* w, int64_t w_row, const float* x,
               const float* bias, float* sums) {
  AllDots(n, k, w, w_row, x, bias, sums);
}

void DotsBFloat16(int64_t n, int64_t k, const BFloat16* w, int64_t w_row, const BFloat16* x,
                  const float* bias, float* sums) {
  AllDots(n, k, w, w_row, x, bias, sums);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(DotsFloat);
HWY_EXPORT(DotsBFloat16);

// A row of w gets the same operations whether it is one of a group or alone, so this cut, which
// follows the number of threads, does not show in the bits.
constexpr int64_t kMultiplyAddsPerThread = 20000;
constexpr int64_t kBlock = 128;

void RunDots(int64_t n, int64_t k, const float* w, int64_t w_row, const float* x, const float* bias,
             float* sums) {
  HWY_DYNAMIC_DISPATCH(DotsFloat)(n, k, w, w_row, x, bias, sums);
}

void RunDots(int64_t n, int64_t k, const BFloat16* w, int64_t w_row, const BFloat16* x,
             const float* bias, float* sums) {
  HWY_DYNAMIC_DISPATCH(DotsBFloat16)(n, k, w, w_row, x, bias, sums);
}

}  // namespace

template <typename T, typename Out>
void MatVec(int64_t n, int64_t k, const T* w, int64_t w_row, const T* x, const float* bias, Out* c,
            bool accumulate) {
  const int64_t grain = std::max<int64_t>(1, kMultiplyAddsPerThread / std::max<int64_t>(k, 1));
  ParallelFor(n, grain, [=](int64_t begin, int64_t end) {
    float sums[kBlock];
    for (int64_t j = begin; j < end; j += kBlock) {
      const int64_t count = std::min(kBlock, end - j);
      const float* b = bias == nullptr ? nullptr : bias + j;
      if constexpr (std::is_same_v<Out, float>) {
        if (!accumulate) {
          RunDots(count, k, w + j * w_row, w_row, x, b, c + j);
          continue;
        }
      }
      RunDots(count, k, w + j * w_row, w_row, x, b, sums);
      for (int64_t i = 0; i < count; ++i) {
        const float before = accumulate ? static_cast<float>(c[j + i]) : 0;
        c[j + i] = static_cast<Out>(sums[i] + before);
      }
    }
  });
}

template void MatVec(int64_t, int64_t, const float*, int64_t, const float*, const float*, float*,
                     bool);
template void MatVec(int64_t, int64_t, const BFloat16*, int64_t, const BFloat16*, const float*,
                     float*, bool);
template void MatVec(int64_t, int64_t, const BFloat16*, int64_t, const BFloat16*, const float*,
                     BFloat16*, bool);

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
