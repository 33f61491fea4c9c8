// Sums of rows, element by element, in the order of the rows. Compiled once for each target.

// clang-format off
#if defined(LEMMA_AUTOGRAD_KERNELS_SIMD_COLUMN_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEMMA_AUTOGRAD_KERNELS_SIMD_COLUMN_SUM_INL_H_
#undef LEMMA_AUTOGRAD_KERNELS_SIMD_COLUMN_SUM_INL_H_
#else
#define LEMMA_AUTOGRAD_KERNELS_SIMD_COLUMN_SUM_INL_H_
#endif
// clang-format on

#include <cstdint>

#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {

// sum[c] = (kAdd ? sum[c] : 0) + (x[0, c] + x[1, c] + ...); rows lie `stride` elements apart.
template <bool kAdd>
HWY_INLINE void SumOfRows(int64_t rows, int64_t stride, int64_t columns, const float* x,
                          float* sum) {
  const F32 f;
  int64_t c = 0;
  for (; c + 4 * kLanes <= columns; c += 4 * kLanes) {
    V32 totals[4] = {hn::Zero(f), hn::Zero(f), hn::Zero(f), hn::Zero(f)};
    for (int64_t r = 0; r < rows; ++r) {
      LEMMA_UNROLL
      for (int i = 0; i < 4; ++i) {
        totals[i] = hn::Add(totals[i], hn::LoadU(f, x + r * stride + c + i * kLanes));
      }
    }
    LEMMA_UNROLL
    for (int i = 0; i < 4; ++i) {
      float* out = sum + c + i * kLanes;
      hn::StoreU(kAdd ? hn::Add(hn::LoadU(f, out), totals[i]) : totals[i], f, out);
    }
  }
  ForVectors(c, columns, [=](int64_t i, auto a) HWY_ATTR {
    V32 total = hn::Zero(f);
    for (int64_t r = 0; r < rows; ++r) total = hn::Add(total, a.Load(x + r * stride + i));
    a.Store(kAdd ? hn::Add(a.Load(sum + i), total) : total, sum + i);
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_COLUMN_SUM_INL_H_
