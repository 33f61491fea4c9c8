// Sums over a row of scores, shared by softmax and cross entropy. Compiled once for each target.

// clang-format off
#if defined(LEMMA_AUTOGRAD_KERNELS_SIMD_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEMMA_AUTOGRAD_KERNELS_SIMD_ROW_INL_H_
#undef LEMMA_AUTOGRAD_KERNELS_SIMD_ROW_INL_H_
#else
#define LEMMA_AUTOGRAD_KERNELS_SIMD_ROW_INL_H_
#endif
// clang-format on

#include <cstdint>
#include <limits>

#include "autograd/kernels/simd/math-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {

// The greatest element of a row; an element that is NaN may be passed over, for it shows in the sum
// of the exponentials.
HWY_INLINE float RowMax(int64_t columns, const float* x) {
  const F32 f;
  const V32 low = hn::Set(f, -std::numeric_limits<float>::infinity());
  V32 max0 = low, max1 = low;
  int64_t c = 0;
  for (; c + 2 * kLanes <= columns; c += 2 * kLanes) {
    max0 = hn::Max(hn::LoadU(f, x + c), max0);
    max1 = hn::Max(hn::LoadU(f, x + c + kLanes), max1);
  }
  ForVectors(c, columns, [&](int64_t i, auto a) HWY_ATTR {
    max0 = hn::Max(Valid(a, a.Load(x + i), low), max0);
  });
  return Max(f, hn::Max(max0, max1));
}

// sum_c exp(x_c - shift), where no x_c is above `shift`.
HWY_INLINE float SumExp(int64_t columns, const float* x, float shift) {
  const V32 max = hn::Set(F32(), shift);
  return SumOver(columns, [=](int64_t c, auto a)
                              HWY_ATTR { return ExpNonPositive(hn::Sub(a.Load(x + c), max)); });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_ROW_INL_H_
