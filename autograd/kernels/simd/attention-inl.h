// What the forward and the backward of attention share: blocks of keys and queries, their scores
// and masks. Compiled once for each target.
//
// Keys and queries are taken in blocks of 64, counted from 0, so that the operations of a query do
// not depend on how many others there are. Rows are padded with zeros to a multiple of 16 floats.

// clang-format off
#if defined(LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_INL_H_
#undef LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_INL_H_
#else
#define LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_INL_H_
#endif
// clang-format on

#include <algorithm>
#include <cstdint>
#include <limits>

#include "autograd/kernels/attention_args.h"
#include "autograd/kernels/simd/pack-inl.h"
#include "autograd/kernels/simd/product-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {

inline constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

constexpr int64_t Padded(int64_t width) { return (width + 15) / 16 * 16; }
constexpr int64_t Blocks(int64_t n) { return (n + kBlock - 1) / kBlock; }

// The keys [key0, key0 + keys) with the queries [query0, query0 + queries) of head (b, h).
struct Pair {
  int64_t b, h;
  int64_t query0, queries;
  int64_t key0, keys;
  bool causal;
  int64_t diagonal;  // query0 + keys of the whole - queries of the whole - key0

  // How many of the pair's keys the pair's query r sees.
  int64_t Visible(int64_t r) const {
    if (!causal) return keys;
    return std::clamp<int64_t>(r + diagonal + 1, 0, keys);
  }
  // The first of the pair's queries that sees key j.
  int64_t FirstQuery(int64_t j) const {
    return causal ? std::clamp<int64_t>(j - diagonal, 0, queries) : 0;
  }
};

HWY_INLINE Pair MakePair(const AttentionArgs<float>& args, int64_t b, int64_t h, int64_t query0,
                         int64_t query_end, int64_t key0) {
  return {b,           h,
          query0,      std::min(kBlock, query_end - query0),
          key0,        std::min(kBlock, args.keys - key0),
          args.causal, query0 + args.keys - args.queries - key0};
}

// A block of rows transposed: y[d * 64 + r], zero behind the last column, and behind the last row
// up to a whole vector.
HWY_INLINE void PackTransposed(int64_t rows, int64_t width, const float* x, int64_t x_stride,
                               float* y) {
  const int64_t last = rows / kLanes * kLanes;
  for (int64_t d = 0; last < rows && d < width; ++d) {
    hn::StoreU(hn::Zero(F32()), F32(), y + d * kBlock + last);
  }
  if (width < Padded(width))
    std::fill_n(y + width * kBlock, (Padded(width) - width) * kBlock, 0.0f);
  TransposeBlock(rows, width, x, x_stride, y, kBlock);
}

// A block of keys by columns: data[d * stride + j] for d in [0, width).
struct KeyColumns {
  const float* data;
  int64_t stride;
  int64_t width;
};

template <int kRows>
HWY_INLINE int64_t ScoreGroups(const Pair& pair, int64_t row, int64_t width, const float* a,
                               const KeyColumns& keys, float* c) {
  for (; row + kRows <= pair.queries; row += kRows) {
    const int64_t vecs = (pair.Visible(row + kRows - 1) + kLanes - 1) / kLanes;
    RowGroup<Strided, false, kRows>({width}, vecs, keys.width, a + row * width, keys.data,
                                    keys.stride, c + row * kBlock, kBlock);
  }
  return row;
}

// c[r * 64 + j] = sum over d of a[r * width + d] * keys(d, j), for the queries from `row` on and
// the keys that they see, up to whole vectors.
HWY_INLINE void Scores(const Pair& pair, int64_t row, int64_t width, const float* a,
                       const KeyColumns& keys, float* c) {
  row = ScoreGroups<4>(pair, row, width, a, keys, c);
  ScoreGroups<1>(pair, row, width, a, keys, c);
}

// Adds the mask to the first `visible` scores of query r.
HWY_INLINE void ApplyMask(const AttentionArgs<float>& args, const Pair& pair, int64_t r,
                          int64_t visible, float* scores) {
  const AttentionMask<float>& mask = args.mask;
  const int64_t at = mask.Offset(pair.b, pair.h, pair.query0 + r) + pair.key0 * mask.key_stride;
  for (int64_t j = 0; j < visible; ++j) {
    if (mask.keep != nullptr && !mask.keep[at + j * mask.key_stride]) scores[j] = kMinusInfinity;
    if (mask.bias != nullptr) scores[j] += mask.bias[at + j * mask.key_stride];
  }
}

// The pair's row of the dropout mask, or null.
HWY_INLINE const float* DropoutRow(const AttentionArgs<float>& args, const Pair& pair, int64_t r) {
  if (args.dropout_keep == nullptr) return nullptr;
  const int64_t row = (pair.b * args.heads + pair.h) * args.queries + pair.query0 + r;
  return args.dropout_keep + row * args.keys + pair.key0;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_INL_H_
