#include "autograd/kernels/simd/sum.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/sum.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

// Elements of a row, and rows of columns, that are added to running sums; longer runs are halved.
constexpr int64_t kRowBlock = 32 * kLanes;
constexpr int64_t kColumnBlock = 32;

float SumOfRow(int64_t n, const float* x) {
  if (n <= kRowBlock) {
    return SumOver(n, [=](int64_t i, auto a) HWY_ATTR { return a.Load(x + i); });
  }
  const int64_t half = (n / 2 + kRowBlock - 1) / kRowBlock * kRowBlock;
  return SumOfRow(half, x) + SumOfRow(n - half, x + half);
}

void SumRows(int64_t rows, int64_t n, const float* x, float* out) {
  for (int64_t r = 0; r < rows; ++r) out[r] = SumOfRow(n, x + r * n);
}

// out[c] = the sum of rows x[r * stride + c]; rows >= 1.
void SumBlock(int64_t rows, int64_t columns, int64_t stride, const float* x, float* out) {
  const int64_t first = rows % 4 == 0 ? 4 : rows % 4;
  ForVectors(0, columns, [=](int64_t c, auto a) HWY_ATTR {
    V32 sum = a.Load(x + c);
    for (int64_t r = 1; r < first; ++r) sum = hn::Add(sum, a.Load(x + r * stride + c));
    a.Store(sum, out + c);
  });
  for (int64_t r = first; r < rows; r += 4) {
    const float* row = x + r * stride;
    ForVectors(0, columns, [=](int64_t c, auto a) HWY_ATTR {
      const V32 low = hn::Add(a.Load(row + c), a.Load(row + stride + c));
      const V32 high = hn::Add(a.Load(row + 2 * stride + c), a.Load(row + 3 * stride + c));
      a.Store(hn::Add(a.Load(out + c), hn::Add(low, high)), out + c);
    });
  }
}

// The same for any number of rows; `scratch` holds `columns` floats for each halving.
void SumColumns(int64_t rows, int64_t columns, int64_t stride, const float* x, float* out,
                float* scratch) {
  if (rows <= kColumnBlock) return SumBlock(rows, columns, stride, x, out);
  const int64_t half = (rows / 2 + kColumnBlock - 1) / kColumnBlock * kColumnBlock;
  SumColumns(half, columns, stride, x, out, scratch);
  SumColumns(rows - half, columns, stride, x + half * stride, scratch, scratch + columns);
  ForVectors(0, columns, [=](int64_t c, auto a) HWY_ATTR {
    a.Store(hn::Add(a.Load(out + c), a.Load(scratch + c)), out + c);
  });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(SumRows);
HWY_EXPORT(SumColumns);

constexpr int64_t kChunk = 65536;  // elements of a task, by shape alone
constexpr int64_t kTile = 1024;    // columns that are summed together

void SumContiguous(int64_t rows, int64_t n, const float* x, float* out) {
  if (n <= kChunk) {
    ParallelFor(rows, std::max<int64_t>(1, kChunk / (4 * n)), [&](int64_t begin, int64_t end) {
      HWY_DYNAMIC_DISPATCH(SumRows)(end - begin, n, x + begin * n, out + begin);
    });
    return;
  }
  std::vector<float> sums(NumChunks(n, kChunk));
  for (int64_t r = 0; r < rows; ++r) {
    ParallelChunks(n, kChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
      HWY_DYNAMIC_DISPATCH(SumRows)(1, end - begin, x + r * n + begin, &sums[chunk]);
    });
    HWY_DYNAMIC_DISPATCH(SumRows)(1, static_cast<int64_t>(sums.size()), sums.data(), out + r);
  }
}

// Tiles of columns are independent of each other.
void SumTiles(int64_t outer, int64_t n, int64_t inner, const float* x, float* out) {
  const int64_t tiles = NumChunks(inner, kTile);
  const int64_t grain = std::max<int64_t>(1, kChunk / (4 * n * std::min(inner, kTile)));
  ParallelFor(outer * tiles, grain, [&](int64_t begin, int64_t end) {
    // More than n can be halved.
    std::vector<float> scratch(std::bit_width(static_cast<uint64_t>(n)) * std::min(inner, kTile));
    for (int64_t task = begin; task < end; ++task) {
      const int64_t o = task / tiles, column = task % tiles * kTile;
      HWY_DYNAMIC_DISPATCH(SumColumns)
      (n, std::min(kTile, inner - column), inner, x + o * n * inner + column,
       out + o * inner + column, scratch.data());
    }
  });
}

void SumStrided(int64_t outer, int64_t n, int64_t inner, const float* x, float* out) {
  const int64_t chunk_rows = std::max<int64_t>(256, kChunk / inner);
  if (n <= chunk_rows) return SumTiles(outer, n, inner, x, out);
  const int64_t chunks = NumChunks(n, chunk_rows);
  std::vector<float> sums(chunks * inner);
  for (int64_t o = 0; o < outer; ++o) {
    const float* rows = x + o * n * inner;
    ParallelChunks(n, chunk_rows, [&](int64_t chunk, int64_t begin, int64_t end) {
      SumTiles(1, end - begin, inner, rows + begin * inner, &sums[chunk * inner]);
    });
    SumTiles(1, chunks, inner, sums.data(), out + o * inner);
  }
}

}  // namespace

void SumMiddle(int64_t outer, int64_t n, int64_t inner, const float* x, float* out) {
  if (n == 0) {
    std::fill_n(out, outer * inner, 0.0f);
  } else if (inner == 1) {
    SumContiguous(outer, n, x, out);
  } else if (inner > 1) {
    SumStrided(outer, n, inner, x, out);
  }
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
