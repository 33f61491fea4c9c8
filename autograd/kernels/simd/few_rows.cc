#include "autograd/kernels/simd/few_rows.h"

#include <algorithm>
#include <cstdint>

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/scratch.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/few_rows.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/pack-inl.h"
#include "autograd/kernels/simd/product-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

// Rows of x at a time, as two vectors, and rows of w for which their sums fit the registers.
constexpr int64_t kWidth = 2 * kLanes;
constexpr int kTileRows = kLanes >= 16 ? 12 : 6;

// Columns of c that are computed before they are transposed.
constexpr int64_t kColumns = 48;
static_assert(kColumns % kTileRows == 0);

// Asks for what follows the tile's rows of w, where these lie one after the other: a line at each
// step, which is at least as much as the next tile reads.
struct NextRows {
  const float* next;
  HWY_INLINE void operator()(int64_t k) const { hwy::Prefetch(next + 16 * k); }
};

// Columns [j, count) without their bias, as far as they fill tiles. Returns the first that is left.
template <int kRows, int kVecs>
HWY_INLINE int64_t Tiles(int64_t j, int64_t count, int64_t k, const float* w, int64_t w_row,
                         const float* packed, float* block) {
  for (; j + kRows <= count; j += kRows) {
    const float* const rows = w + j * w_row;
    Tile<Strided, false, kRows, kVecs>({w_row}, k, rows, packed, kWidth, block + j * kWidth, kWidth,
                                       NextRows{rows + kRows * w_row});
  }
  return j;
}

// block[j, :] = column j of c, for the rows of x that `packed` (k, kWidth) holds and `count` rows
// of w.
template <int kVecs>
void Columns(int64_t count, int64_t k, const float* w, int64_t w_row, const float* packed,
             const float* bias, float* block) {
  const F32 f;
  int64_t j = Tiles<kTileRows, kVecs>(0, count, k, w, w_row, packed, block);
  j = Tiles<4, kVecs>(j, count, k, w, w_row, packed, block);
  Tiles<1, kVecs>(j, count, k, w, w_row, packed, block);
  if (bias == nullptr) return;
  for (j = 0; j < count; ++j) {
    for (int v = 0; v < kVecs; ++v) {
      float* const sums = block + j * kWidth + v * kLanes;
      hn::StoreU(hn::Add(hn::LoadU(f, sums), hn::Set(f, bias[j])), f, sums);
    }
  }
}

// Rows [row, row + rows) of c, at most kWidth, and its columns [begin, end).
void MultiplyPart(const FewRowsProduct& p, int64_t row, int64_t rows, int64_t begin, int64_t end) {
  float* const packed = ThreadScratch<Slot::kFewRows>((p.k + kColumns) * kWidth);
  float* const block = packed + p.k * kWidth;
  TransposeBlock(rows, p.k, p.x + row * p.x_row, p.x_row, packed, kWidth);
  for (int64_t j = begin; j < end; j += kColumns) {
    const int64_t count = std::min(kColumns, end - j);
    const float* const w = p.w + j * p.w_row;
    const float* const bias = p.bias == nullptr ? nullptr : p.bias + j;
    if (rows > kLanes) {
      Columns<2>(count, p.k, w, p.w_row, packed, bias, block);
    } else {
      Columns<1>(count, p.k, w, p.w_row, packed, bias, block);
    }
    TransposeBlock(count, rows, block, kWidth, p.c + row * p.c_row + j, p.c_row);
  }
}

int64_t Width() { return kWidth; }

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(MultiplyPart);
HWY_EXPORT(Width);

// Products with less work than this are one thread's.
constexpr int64_t kMinMultiplyAdds = 400'000;

// Numbers of w that stay in the L2 from one part of the rows to the next.
constexpr int64_t kMaxNear = 256 * 1024;

// Columns of c in one part: all, unless there are threads for more parts, or w is too large.
int64_t PartColumns(const FewRowsProduct& p, int64_t row_parts, int threads) {
  const int64_t parts = NumChunks(threads, row_parts);
  const int64_t near = std::max<int64_t>(kMaxNear / p.k / 16 * 16, 16);
  return std::clamp<int64_t>(NumChunks(NumChunks(p.n, parts), 16) * 16, 16, near);
}

}  // namespace

bool FewRowsPay(int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kMaxRows = 64, kMinSide = 16;
  constexpr int64_t kMaxDepth = 4096;  // so that the packed rows stay in the L2
  const int64_t width = HWY_DYNAMIC_DISPATCH(Width)();
  const bool has_vectors = width >= 16, fills_them = m % (width / 2) == 0;
  return has_vectors && fills_them && m <= kMaxRows && n >= kMinSide && k >= kMinSide &&
         k <= kMaxDepth;
}

void MultiplyFewRows(const FewRowsProduct& p) {
  const int64_t width = HWY_DYNAMIC_DISPATCH(Width)();
  const int64_t row_parts = NumChunks(p.m, width);
  const bool alone = p.m * p.n * p.k < kMinMultiplyAdds || InParallel();
  const int64_t columns = PartColumns(p, row_parts, alone ? 1 : NumThreads());
  const int64_t parts = row_parts * NumChunks(p.n, columns);
  ParallelChunks(parts, alone ? parts : 1, [&](int64_t, int64_t part, int64_t end) {
    for (; part < end; ++part) {
      const int64_t row = part % row_parts * width, column = part / row_parts * columns;
      HWY_DYNAMIC_DISPATCH(MultiplyPart)
      (p, row, std::min(width, p.m - row), column, std::min(p.n, column + columns));
    }
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
