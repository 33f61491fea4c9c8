#include "autograd/kernels/simd/transpose.h"

#include <algorithm>
#include <cstdint>

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/transpose.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/pack-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

constexpr int64_t kTile = 64;

// In square tiles, so that the lines of both arrays are used whole while they are in the cache.
void TransposeRows(int64_t rows, int64_t columns, const float* x, int64_t x_stride, float* y,
                   int64_t y_stride) {
  for (int64_t r = 0; r < rows; r += kTile) {
    for (int64_t c = 0; c < columns; c += kTile) {
      TransposeBlock(std::min(kTile, rows - r), std::min(kTile, columns - c), x + r * x_stride + c,
                     x_stride, y + c * y_stride + r, y_stride);
    }
  }
}

// The output rows (o, s, .) of [begin, end), counted over o and s.
void SwapRows(int64_t begin, int64_t end, int64_t first, int64_t second, int64_t inner,
              const float* x, float* y) {
  for (int64_t i = begin; i < end; ++i) {
    const float* from = x + (i / second * first * second + i % second) * inner;
    float* to = y + i * first * inner;
    for (int64_t j = 0; j < first; ++j, from += second * inner, to += inner) {
      ForVectors(0, inner, [=](int64_t d, auto a) HWY_ATTR { a.Store(a.Load(from + d), to + d); });
    }
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(TransposeRows);
HWY_EXPORT(SwapRows);

constexpr int64_t kGrain = 16384;  // elements

int64_t Grain(int64_t elements) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(elements, 1));
}

}  // namespace

void Transpose(int64_t rows, int64_t columns, const float* x, int64_t x_stride, float* y,
               int64_t y_stride) {
  const int64_t grain = std::max<int64_t>(64, Grain(columns));
  ParallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(TransposeRows)
    (end - begin, columns, x + begin * x_stride, x_stride, y + begin, y_stride);
  });
}

void SwapMiddleAxes(int64_t outer, int64_t first, int64_t second, int64_t inner, const float* x,
                    float* y) {
  ParallelFor(outer * second, Grain(first * inner), [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(SwapRows)(begin, end, first, second, inner, x, y);
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
