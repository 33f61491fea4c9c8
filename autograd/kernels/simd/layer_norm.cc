#include "autograd/kernels/simd/layer_norm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/scratch.h"
#include "autograd/kernels/simd/targets.h"

#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_LAYER_NORM_ONCE_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_LAYER_NORM_ONCE_
namespace lemma::kernels::simd {
namespace {

// What the backward reads, all rows.
struct BackwardInputs {
  const float* dy;
  const float* x;
  const float* weight;
  const float* mean;
  const float* rstd;
};

// Where it writes; dweight and dbias are this task's own sums, or null.
struct BackwardOutputs {
  float* dx;
  bool accumulate_dx;
  float* dweight;
  float* dbias;
};

}  // namespace
}  // namespace lemma::kernels::simd
#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_LAYER_NORM_ONCE_

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/layer_norm.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/column_sum-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

// A row stays in the first-level cache, so three turns over it cost one pass over memory.
void ForwardRows(int64_t rows, int64_t columns, const float* x, const float* weight,
                 const float* bias, float eps, float* y, float* mean, float* rstd) {
  const F32 f;
  const float inverse = 1.0f / static_cast<float>(columns);
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns) {
    const float row_mean =
        inverse * SumOver(columns, [=](int64_t c, auto a) HWY_ATTR { return a.Load(x + c); });
    const V32 center = hn::Set(f, row_mean);
    const float squares = SumOver(columns, [=](int64_t c, auto a) HWY_ATTR {
      const V32 centered = hn::Sub(a.Load(x + c), center);
      return hn::Mul(centered, centered);
    });
    const float row_rstd = 1.0f / std::sqrt(squares * inverse + eps);
    const V32 factor = hn::Set(f, row_rstd);
    ForVectors(0, columns, [=](int64_t c, auto a) HWY_ATTR {
      V32 value = hn::Mul(hn::Sub(a.Load(x + c), center), factor);
      if (weight != nullptr) value = hn::Mul(value, a.Load(weight + c));
      if (bias != nullptr) value = hn::Add(value, a.Load(bias + c));
      a.Store(value, y + c);
    });
    if (mean != nullptr) mean[r] = row_mean;
    if (rstd != nullptr) rstd[r] = row_rstd;
  }
}

struct RowScalars {
  V32 mean, rstd;
  V32 mean_g;   // of g = dy * weight
  V32 mean_gh;  // of g * h
};

HWY_INLINE V32 Gradient(const BackwardInputs& in, V32 dy, V32 weight) {
  return in.weight != nullptr ? hn::Mul(dy, weight) : dy;
}

HWY_INLINE RowScalars RowSums(const BackwardInputs& in, int64_t r, int64_t columns, bool need_dx) {
  const F32 f;
  const float* dy = in.dy + r * columns;
  const float* x = in.x + r * columns;
  const V32 mean = hn::Set(f, in.mean[r]), rstd = hn::Set(f, in.rstd[r]);
  if (!need_dx) return {mean, rstd, hn::Zero(f), hn::Zero(f)};
  V32 sum_g0 = hn::Zero(f), sum_g1 = hn::Zero(f), sum_gh0 = hn::Zero(f), sum_gh1 = hn::Zero(f);
  const auto add = [&](int64_t c, auto a, V32& sum_g, V32& sum_gh) HWY_ATTR {
    V32 g = a.Load(dy + c);
    if (in.weight != nullptr) g = hn::Mul(g, a.Load(in.weight + c));
    sum_g = hn::Add(sum_g, g);
    sum_gh = hn::MulAdd(g, hn::Mul(hn::Sub(a.Load(x + c), mean), rstd), sum_gh);
  };
  int64_t c = 0;
  for (; c + 2 * kLanes <= columns; c += 2 * kLanes) {
    add(c, Whole{}, sum_g0, sum_gh0);
    add(c + kLanes, Whole{}, sum_g1, sum_gh1);
  }
  ForVectors(c, columns, [&](int64_t i, auto a) HWY_ATTR { add(i, a, sum_g0, sum_gh0); });
  const float factor = 1.0f / static_cast<float>(columns);
  return {mean, rstd, hn::Set(f, factor * Sum(f, hn::Add(sum_g0, sum_g1))),
          hn::Set(f, factor * Sum(f, hn::Add(sum_gh0, sum_gh1)))};
}

// One block of kRows rows: its sums first, then dx and the parameters' sums in one sweep.
template <int kRows>
HWY_INLINE void BackwardBlock(const BackwardInputs& in, const BackwardOutputs& out, int64_t row,
                              int64_t columns) {
  const F32 f;
  RowScalars rows[kRows];
  for (int i = 0; i < kRows; ++i) rows[i] = RowSums(in, row + i, columns, out.dx != nullptr);
  ForVectors(0, columns, [&](int64_t c, auto a) HWY_ATTR {
    V32 dweight = hn::Zero(f), dbias = hn::Zero(f);
    const V32 weight = in.weight != nullptr ? a.Load(in.weight + c) : hn::Zero(f);
    LEMMA_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const int64_t at = (row + i) * columns + c;
      const V32 dy = a.Load(in.dy + at);
      const V32 h = hn::Mul(hn::Sub(a.Load(in.x + at), rows[i].mean), rows[i].rstd);
      dweight = hn::MulAdd(dy, h, dweight);
      dbias = hn::Add(dbias, dy);
      if (out.dx == nullptr) continue;
      // rstd comes last: it can be as large as eps^(-1/2), and would magnify what rounding leaves
      // of g - mean(g).
      const V32 centered = hn::Sub(Gradient(in, dy, weight), rows[i].mean_g);
      V32 dx = hn::Mul(rows[i].rstd, hn::NegMulAdd(h, rows[i].mean_gh, centered));
      if (out.accumulate_dx) dx = hn::Add(dx, a.Load(out.dx + at));
      a.Store(dx, out.dx + at);
    }
    if (out.dweight) a.Store(hn::Add(dweight, a.Load(out.dweight + c)), out.dweight + c);
    if (out.dbias) a.Store(hn::Add(dbias, a.Load(out.dbias + c)), out.dbias + c);
  });
}

void BackwardRows(const BackwardInputs& in, const BackwardOutputs& out, int64_t begin, int64_t end,
                  int64_t columns) {
  int64_t r = begin;
  for (; r + 4 <= end; r += 4) BackwardBlock<4>(in, out, r, columns);
  for (; r < end; ++r) BackwardBlock<1>(in, out, r, columns);
}

void AddPartials(int64_t chunks, int64_t stride, int64_t columns, const float* partial,
                 float* sum) {
  SumOfRows<true>(chunks, stride, columns, partial, sum);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(ForwardRows);
HWY_EXPORT(BackwardRows);
HWY_EXPORT(AddPartials);

constexpr int64_t kGrain = 8192;  // elements

// Rows of a partial sum of dweight: by shape alone, and at most 64 partial sums.
int64_t ChunkRows(int64_t rows) {
  const int64_t chunk = std::max<int64_t>(16, (rows + 63) / 64);
  return (chunk + 3) / 4 * 4;
}

}  // namespace

void LayerNormForward(int64_t rows, int64_t columns, const float* x, const float* weight,
                      const float* bias, double eps, float* y, float* mean, float* rstd) {
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(columns, 1));
  ParallelFor(rows, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ForwardRows)
    (end - begin, columns, x + begin * columns, weight, bias, static_cast<float>(eps),
     y + begin * columns, mean ? mean + begin : nullptr, rstd ? rstd + begin : nullptr);
  });
}

void LayerNormBackward(int64_t rows, int64_t columns, const float* dy, const float* x,
                       const float* weight, const float* mean, const float* rstd, float* dx,
                       bool accumulate_dx, float* dweight, float* dbias) {
  if (rows == 0 || columns == 0) return;
  const int64_t chunk_rows = ChunkRows(rows);
  const int64_t chunks = NumChunks(rows, chunk_rows);
  float* partial = ThreadScratch<Slot::kPartialSums>(2 * chunks * columns);
  ParallelChunks(rows, chunk_rows, [&](int64_t chunk, int64_t begin, int64_t end) {
    float* sums = partial + chunk * 2 * columns;
    std::fill_n(sums, 2 * columns, 0.0f);
    HWY_DYNAMIC_DISPATCH(BackwardRows)
    ({dy, x, weight, mean, rstd},
     {dx, accumulate_dx, dweight ? sums : nullptr, dbias ? sums + columns : nullptr}, begin, end,
     columns);
  });
  const auto add = HWY_DYNAMIC_DISPATCH(AddPartials);
  if (dweight) add(chunks, 2 * columns, columns, partial, dweight);
  if (dbias) add(chunks, 2 * columns, columns, partial + columns, dbias);
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
