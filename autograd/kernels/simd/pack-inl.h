// Copies into dense, padded blocks, as they are and transposed. Compiled once for each target.

// clang-format off
#if defined(LEMMA_AUTOGRAD_KERNELS_SIMD_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEMMA_AUTOGRAD_KERNELS_SIMD_PACK_INL_H_
#undef LEMMA_AUTOGRAD_KERNELS_SIMD_PACK_INL_H_
#else
#define LEMMA_AUTOGRAD_KERNELS_SIMD_PACK_INL_H_
#endif
// clang-format on

#include <cstdint>

#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// Four floats at p, at p + 4 * stride, ... one after the other.
template <typename D>
HWY_INLINE hn::Vec<D> LoadEveryFourth(D d, const float* p, int64_t stride) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return hn::LoadU(d, p);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadEveryFourth(half, p + hn::MaxLanes(half) * stride, stride),
                       LoadEveryFourth(half, p, stride));
  }
}

// y[c * y_stride + r] = factor * x[r * x_stride + c] for kLanes rows and 4 columns.
HWY_INLINE void TransposeTile(const float* x, int64_t x_stride, float* y, int64_t y_stride,
                              V32 factor) {
  const F32 f;
  const V32 row0 = LoadEveryFourth(f, x, x_stride);
  const V32 row1 = LoadEveryFourth(f, x + x_stride, x_stride);
  const V32 row2 = LoadEveryFourth(f, x + 2 * x_stride, x_stride);
  const V32 row3 = LoadEveryFourth(f, x + 3 * x_stride, x_stride);
  const V32 even_low = hn::InterleaveLower(f, row0, row2);
  const V32 odd_low = hn::InterleaveLower(f, row1, row3);
  const V32 even_high = hn::InterleaveUpper(f, row0, row2);
  const V32 odd_high = hn::InterleaveUpper(f, row1, row3);
  hn::StoreU(hn::Mul(hn::InterleaveLower(f, even_low, odd_low), factor), f, y);
  hn::StoreU(hn::Mul(hn::InterleaveUpper(f, even_low, odd_low), factor), f, y + y_stride);
  hn::StoreU(hn::Mul(hn::InterleaveLower(f, even_high, odd_high), factor), f, y + 2 * y_stride);
  hn::StoreU(hn::Mul(hn::InterleaveUpper(f, even_high, odd_high), factor), f, y + 3 * y_stride);
}
#endif

// y[c * y_stride + r] = factor * x[r * x_stride + c]
HWY_INLINE void TransposeScaled(int64_t rows, int64_t columns, const float* x, int64_t x_stride,
                                float* y, int64_t y_stride, float factor) {
  int64_t whole_rows = 0, whole_columns = 0;
#if HWY_TARGET != HWY_SCALAR
  const V32 factors = hn::Set(F32(), factor);
  whole_rows = rows / kLanes * kLanes;
  whole_columns = columns / 4 * 4;
  for (int64_t r = 0; r < whole_rows; r += kLanes) {
    for (int64_t c = 0; c < whole_columns; c += 4) {
      TransposeTile(x + r * x_stride + c, x_stride, y + c * y_stride + r, y_stride, factors);
    }
  }
#endif
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) {
      y[c * y_stride + r] = factor * x[r * x_stride + c];
    }
  }
}

// y[r, :] = factor * x[r, :], with zeros behind `columns` up to `padded`, a multiple of kLanes.
HWY_INLINE void CopyScaled(int64_t rows, int64_t columns, int64_t padded, const float* x,
                           int64_t x_stride, float* y, float factor) {
  const F32 f;
  const V32 factors = hn::Set(f, factor);
  for (int64_t r = 0; r < rows; ++r, x += x_stride, y += padded) {
    int64_t c = 0;
    for (; c + kLanes <= columns; c += kLanes) {
      hn::StoreU(hn::Mul(hn::LoadU(f, x + c), factors), f, y + c);
    }
    if (c < columns) {
      hn::StoreU(hn::Mul(LoadPart(f, x + c, columns - c), factors), f, y + c);
      c += kLanes;
    }
    for (; c < padded; c += kLanes) hn::StoreU(hn::Zero(f), f, y + c);
  }
}

// Whether all n elements, a multiple of kLanes, are finite.
HWY_INLINE bool AllFinite(int64_t n, const float* x) {
  const F32 f;
  V32 zero = hn::Zero(f);  // x * 0 is NaN for infinite x and NaN
  for (int64_t i = 0; i < n; i += kLanes) zero = hn::MulAdd(hn::LoadU(f, x + i), hn::Zero(f), zero);
  return hn::AllTrue(f, hn::Eq(zero, hn::Zero(f)));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_PACK_INL_H_
