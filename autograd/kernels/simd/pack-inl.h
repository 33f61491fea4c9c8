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

// y[c * y_stride + r] = x[r * x_stride + c] for kLanes rows and 4 columns.
HWY_INLINE void TransposeTile(const float* x, int64_t x_stride, float* y, int64_t y_stride) {
  const F32 f;
  const V32 row0 = LoadEveryFourth(f, x, x_stride);
  const V32 row1 = LoadEveryFourth(f, x + x_stride, x_stride);
  const V32 row2 = LoadEveryFourth(f, x + 2 * x_stride, x_stride);
  const V32 row3 = LoadEveryFourth(f, x + 3 * x_stride, x_stride);
  const V32 even_low = hn::InterleaveLower(f, row0, row2);
  const V32 odd_low = hn::InterleaveLower(f, row1, row3);
  const V32 even_high = hn::InterleaveUpper(f, row0, row2);
  const V32 odd_high = hn::InterleaveUpper(f, row1, row3);
  hn::StoreU(hn::InterleaveLower(f, even_low, odd_low), f, y);
  hn::StoreU(hn::InterleaveUpper(f, even_low, odd_low), f, y + y_stride);
  hn::StoreU(hn::InterleaveLower(f, even_high, odd_high), f, y + 2 * y_stride);
  hn::StoreU(hn::InterleaveUpper(f, even_high, odd_high), f, y + 3 * y_stride);
}
#endif

// y[c * y_stride + r] = x[r * x_stride + c]
HWY_INLINE void TransposeBlock(int64_t rows, int64_t columns, const float* x, int64_t x_stride,
                               float* y, int64_t y_stride) {
  int64_t whole_rows = 0, whole_columns = 0;
#if HWY_TARGET != HWY_SCALAR
  whole_rows = rows / kLanes * kLanes;
  whole_columns = columns / 4 * 4;
  for (int64_t r = 0; r < whole_rows; r += kLanes) {
    for (int64_t c = 0; c < whole_columns; c += 4) {
      TransposeTile(x + r * x_stride + c, x_stride, y + c * y_stride + r, y_stride);
    }
  }
#endif
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) {
      y[c * y_stride + r] = x[r * x_stride + c];
    }
  }
}

// y[r, :] = factor * x[r, :], with zeros behind `columns` up to `padded`, a multiple of kLanes.
// Returns whether all of x is finite.
HWY_INLINE bool CopyScaled(int64_t rows, int64_t columns, int64_t padded, const float* x,
                           int64_t x_stride, float* y, float factor) {
  const F32 f;
  const V32 factors = hn::Set(f, factor), zero = hn::Zero(f);
  V32 zero0 = zero, zero1 = zero;  // x * 0 is NaN for infinite x and NaN
  for (int64_t r = 0; r < rows; ++r, x += x_stride, y += padded) {
    int64_t c = 0;
    for (; c + 2 * kLanes <= columns; c += 2 * kLanes) {
      const V32 x0 = hn::LoadU(f, x + c), x1 = hn::LoadU(f, x + c + kLanes);
      zero0 = hn::MulAdd(x0, zero, zero0);
      zero1 = hn::MulAdd(x1, zero, zero1);
      hn::StoreU(hn::Mul(x0, factors), f, y + c);
      hn::StoreU(hn::Mul(x1, factors), f, y + c + kLanes);
    }
    ForVectors(c, columns, [&](int64_t i, auto a) HWY_ATTR {
      const V32 x_i = a.Load(x + i);
      zero0 = hn::MulAdd(x_i, zero, zero0);
      hn::StoreU(hn::Mul(x_i, factors), f, y + i);
    });
    for (c = (columns + kLanes - 1) / kLanes * kLanes; c < padded; c += kLanes) {
      hn::StoreU(zero, f, y + c);
    }
  }
  return hn::AllTrue(f, hn::Eq(hn::Add(zero0, zero1), zero));
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_PACK_INL_H_
