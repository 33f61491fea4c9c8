// Small products with their sums in registers, for blocks that are in the cache. Compiled once for
// each target.
//
//   c[r, :] (+)= sum over k of a(r, k) * b[k, :]
//
// Columns are vectors, rows are scalars that are spread over one. The sum of an element runs
// through k in order, one fused multiply-add after the other, however rows and columns are
// grouped: results do not depend on the grouping.

// clang-format off
#if defined(LEMMA_AUTOGRAD_KERNELS_SIMD_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEMMA_AUTOGRAD_KERNELS_SIMD_PRODUCT_INL_H_
#undef LEMMA_AUTOGRAD_KERNELS_SIMD_PRODUCT_INL_H_
#else
#define LEMMA_AUTOGRAD_KERNELS_SIMD_PRODUCT_INL_H_
#endif
// clang-format on

#include <algorithm>
#include <cstdint>

#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {

inline constexpr int64_t kBlock = 64;  // rows and columns of a block of scores

// Where a(r, k) lies: a[r * Row() + k * Step()]. A block of scores, by rows and by columns, and
// rows that lie `row` elements apart.
struct RowMajor {
  static constexpr int64_t Row() { return kBlock; }
  static constexpr int64_t Step() { return 1; }
};
struct ColumnMajor {
  static constexpr int64_t Row() { return 1; }
  static constexpr int64_t Step() { return kBlock; }
};
struct Strided {
  int64_t row;
  int64_t Row() const { return row; }
  static constexpr int64_t Step() { return 1; }
};

// Vectors of columns, and rows, that fit the registers: 32 of them in AVX-512, else 16.
inline constexpr int kMaxVecs = kLanes >= 16 ? 4 : 2;
constexpr int TileRows(int vecs) { return kLanes >= 16 && vecs <= 2 ? 8 : 4; }

// What else is done at each step of the depth: nothing, or some lines of memory are asked for.
struct NoPrefetch {
  HWY_INLINE void operator()(int64_t) const {}
};

template <typename A, bool kAdd, int kRows, int kVecs, typename Prefetch = NoPrefetch>
HWY_INLINE void Tile(A layout, int64_t depth, const float* HWY_RESTRICT a,
                     const float* HWY_RESTRICT b, int64_t b_step, float* HWY_RESTRICT c,
                     int64_t c_row, Prefetch prefetch = {}) {
  const F32 f;
  V32 sum[kRows][kVecs];
  LEMMA_UNROLL
  for (int r = 0; r < kRows; ++r) {
    LEMMA_UNROLL
    for (int v = 0; v < kVecs; ++v) {
      sum[r][v] = kAdd ? hn::LoadU(f, c + r * c_row + v * kLanes) : hn::Zero(f);
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    prefetch(k);
    V32 b_k[kVecs];
    LEMMA_UNROLL
    for (int v = 0; v < kVecs; ++v) b_k[v] = hn::LoadU(f, b + k * b_step + v * kLanes);
    LEMMA_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const V32 a_rk = hn::Set(f, a[r * layout.Row() + k * layout.Step()]);
      LEMMA_UNROLL
      for (int v = 0; v < kVecs; ++v) sum[r][v] = hn::MulAdd(a_rk, b_k[v], sum[r][v]);
    }
  }
  LEMMA_UNROLL
  for (int r = 0; r < kRows; ++r) {
    LEMMA_UNROLL
    for (int v = 0; v < kVecs; ++v) hn::StoreU(sum[r][v], f, c + r * c_row + v * kLanes);
  }
}

// kRows rows and `vecs` vectors of columns.
template <typename A, bool kAdd, int kRows>
HWY_INLINE void RowGroup(A layout, int64_t vecs, int64_t depth, const float* a, const float* b,
                         int64_t b_step, float* c, int64_t c_row) {
  for (; vecs >= kMaxVecs; vecs -= kMaxVecs, b += kMaxVecs * kLanes, c += kMaxVecs * kLanes) {
    Tile<A, kAdd, kRows, kMaxVecs>(layout, depth, a, b, b_step, c, c_row);
  }
  if constexpr (kMaxVecs == 4) {
    if (vecs == 3) return Tile<A, kAdd, kRows, 3>(layout, depth, a, b, b_step, c, c_row);
    if (vecs == 2) return Tile<A, kAdd, kRows, 2>(layout, depth, a, b, b_step, c, c_row);
  }
  if (vecs == 1) Tile<A, kAdd, kRows, 1>(layout, depth, a, b, b_step, c, c_row);
}

// The k that row r sums over: [begin(r), end(r)), both not falling with r. In a group of rows some
// get terms outside of their range, whose a(r, k) are 0; with `strict` none does, which is for b
// that are not finite.
template <typename A, int kRows, typename Begin, typename End>
HWY_INLINE int64_t AddGroups(A layout, int64_t row, int64_t rows, int64_t vecs, const Begin& begin,
                             const End& end, const float* a, const float* b, int64_t b_step,
                             float* c, int64_t c_row) {
  for (; row + kRows <= rows; row += kRows) {
    const int64_t first = begin(row), last = end(row + kRows - 1);
    if (first >= last) continue;
    RowGroup<A, true, kRows>(layout, vecs, last - first,
                             a + row * layout.Row() + first * layout.Step(), b + first * b_step,
                             b_step, c + row * c_row, c_row);
  }
  return row;
}

// c[r, :] += sum over k in [begin(r), end(r)) of a(r, k) * b[k, :] for rows [row, rows).
template <typename A, typename Begin, typename End>
void AddProduct(A layout, int64_t row, int64_t rows, int64_t columns, bool strict,
                const Begin& begin, const End& end, const float* a, const float* b, int64_t b_step,
                float* c, int64_t c_row) {
  const int64_t vecs = columns / kLanes;
  if (!strict) {
    if (TileRows(1) == 8 && vecs <= 2) {
      row = AddGroups<A, 8>(layout, row, rows, vecs, begin, end, a, b, b_step, c, c_row);
    }
    row = AddGroups<A, 4>(layout, row, rows, vecs, begin, end, a, b, b_step, c, c_row);
  }
  AddGroups<A, 1>(layout, row, rows, vecs, begin, end, a, b, b_step, c, c_row);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_PRODUCT_INL_H_
