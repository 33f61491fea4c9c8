#include <algorithm>
#include <cstdint>
#include <limits>

#include "autograd/kernels/attention_args.h"
#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/attention.h"
#include "autograd/kernels/simd/scratch.h"
#include "autograd/kernels/simd/targets.h"

#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_BACKWARD_ONCE_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_BACKWARD_ONCE_
namespace lemma::kernels::simd {
namespace {

struct BackwardCall {
  const AttentionArgs<float>& args;
  const HeadView<const float>& out;
  const HeadView<const float>& dout;
  const float* lse;
  const AttentionGradients<float>& gradients;
};

}  // namespace
}  // namespace lemma::kernels::simd
#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_BACKWARD_ONCE_

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/attention_backward.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/attention-inl.h"
#include "autograd/kernels/simd/math-inl.h"
#include "autograd/kernels/simd/pack-inl.h"
#include "autograd/kernels/simd/product-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

// The working memory of one head; widths are padded. "by column" is (width, 64).
struct Buffers {
  Buffers(int64_t queries, int64_t width, float* scratch) {
    const int64_t rows = Blocks(queries) * kBlock;
    const auto take = [&scratch](int64_t count) {
      float* taken = scratch;
      scratch += count;
      return taken;
    };
    for (float** array : {&q, &dout, &dq}) *array = take(rows * width);
    for (float** array : {&lse, &delta}) *array = take(rows);
    for (float** array : {&k, &k_by_column, &v_by_column, &dk, &dv}) {
      *array = take(kBlock * width);
    }
    for (float** array : {&p, &ds}) *array = take(kBlock * kBlock);
  }
  static int64_t Size(int64_t queries, int64_t width) {
    return Blocks(queries) * kBlock * (3 * width + 2) + kBlock * (5 * width + 2 * kBlock);
  }

  float* q;      // (queries, width), times the scale
  float* dout;   // (queries, width)
  float* dq;     // (queries, width), to be multiplied by the scale
  float* lse;    // +inf for queries that see no key
  float* delta;  // dout . out
  float *k, *k_by_column, *v_by_column;
  float *dk, *dv;
  float* p;   // (64, 64): scores, then probabilities, dropped out
  float* ds;  // (64, 64): gradients of the probabilities, then of the scores
};

// delta = dout . out of all queries, four at a time.
void ComputeDeltas(const BackwardCall& call, int64_t b, int64_t h, float* delta) {
  const F32 f;
  const AttentionArgs<float>& args = call.args;
  for (int64_t i = 0; i < args.queries; i += 4) {
    V32 sums[4];
    LEMMA_UNROLL
    for (int k = 0; k < 4; ++k) {
      const int64_t row = std::min(i + k, args.queries - 1);
      const float* out = call.out.Row(b, h, row);
      const float* dout = call.dout.Row(b, h, row);
      V32 sum = hn::Zero(f);
      ForVectors(0, args.width, [&](int64_t d, auto a) HWY_ATTR {
        sum = hn::MulAdd(a.Load(out + d), a.Load(dout + d), sum);
      });
      sums[k] = sum;
    }
    ReduceFour(
        f, sums[0], sums[1], sums[2], sums[3],
        [](auto x, auto y) HWY_ATTR { return hn::Add(x, y); }, delta + i);
  }
}

// Returns whether all that is packed is finite.
bool PackQueries(const BackwardCall& call, int64_t b, int64_t h, const Buffers& buffers) {
  const AttentionArgs<float>& args = call.args;
  const int64_t width = Padded(args.width);
  const bool q_finite = CopyScaled(args.queries, args.width, width, args.q.Row(b, h, 0),
                                   args.q.row_stride, buffers.q, static_cast<float>(args.scale));
  const bool dout_finite = CopyScaled(args.queries, args.width, width, call.dout.Row(b, h, 0),
                                      call.dout.row_stride, buffers.dout, 1);
  ComputeDeltas(call, b, h, buffers.delta);
  const float* lse = call.lse + (b * args.heads + h) * args.queries;
  for (int64_t i = 0; i < args.queries; ++i) {
    buffers.lse[i] = lse[i] == kMinusInfinity ? -kMinusInfinity : lse[i];
  }
  return q_finite && dout_finite;
}

// Row r's scores and gradients of probabilities become probabilities and gradients of scores, with
// zeros behind `visible`.
HWY_INLINE void RowGradients(int64_t visible, const float* keep, float dropout_scale, float lse,
                             float delta, float* p, float* ds) {
  const F32 f;
  const V32 zero = hn::Zero(f);
  const V32 shift = hn::Set(f, lse), center = hn::Set(f, delta);
  ForVectors(0, visible, [&](int64_t j, auto a) HWY_ATTR {
    const V32 e = ExpNonPositive(hn::Sub(hn::LoadU(f, p + j), shift));
    V32 dropped = e, dp = hn::LoadU(f, ds + j);
    if (keep != nullptr) {
      const V32 factor = hn::Mul(a.Load(keep + j), hn::Set(f, dropout_scale));
      dropped = hn::Mul(e, factor);
      dp = hn::Mul(dp, factor);
    }
    hn::StoreU(Valid(a, dropped, zero), f, p + j);
    hn::StoreU(Valid(a, hn::Mul(e, hn::Sub(dp, center)), zero), f, ds + j);
  });
  for (int64_t j = (visible + kLanes - 1) / kLanes * kLanes; j < kBlock; j += kLanes) {
    hn::StoreU(zero, f, p + j);
    hn::StoreU(zero, f, ds + j);
  }
}

void AddPair(const AttentionArgs<float>& args, const Pair& pair, bool strict,
             const Buffers& buffers) {
  const int64_t width = Padded(args.width);
  const int64_t row = pair.FirstQuery(0), at = pair.query0 * width;
  Scores(pair, row, width, buffers.q + at, {buffers.k_by_column, kBlock, width}, buffers.p);
  Scores(pair, row, width, buffers.dout + at, {buffers.v_by_column, kBlock, width}, buffers.ds);
  for (int64_t r = row; r < pair.queries; ++r) {
    const int64_t visible = pair.Visible(r), i = pair.query0 + r;
    float* p = buffers.p + r * kBlock;
    if (args.mask.Given()) ApplyMask(args, pair, r, visible, p);
    RowGradients(visible, DropoutRow(args, pair, r), static_cast<float>(args.dropout_scale),
                 buffers.lse[i], buffers.delta[i], p, buffers.ds + r * kBlock);
  }
  const auto first_query = [&](int64_t j) { return pair.FirstQuery(j); };
  const auto queries = [&](int64_t) { return pair.queries; };
  AddProduct(ColumnMajor(), 0, pair.keys, width, strict, first_query, queries, buffers.p,
             buffers.dout + at, width, buffers.dv, width);
  AddProduct(ColumnMajor(), 0, pair.keys, width, strict, first_query, queries, buffers.ds,
             buffers.q + at, width, buffers.dk, width);
  AddProduct(
      RowMajor(), row, pair.queries, width, strict, [](int64_t) { return int64_t{0}; },
      [&](int64_t r) { return pair.Visible(r); }, buffers.ds, buffers.k, width, buffers.dq + at,
      width);
}

void WriteRows(int64_t rows, int64_t width, const float* x, float factor, float* y,
               int64_t y_stride) {
  const V32 factors = hn::Set(F32(), factor);
  for (int64_t r = 0; r < rows; ++r, x += Padded(width), y += y_stride) {
    ForVectors(0, width, [&](int64_t d, auto a) HWY_ATTR {
      a.Store(hn::Mul(a.Load(x + d), factors), y + d);
    });
  }
}

void BackwardHead(const BackwardCall& call, int64_t b, int64_t h, float* scratch) {
  const AttentionArgs<float>& args = call.args;
  const AttentionGradients<float>& gradients = call.gradients;
  const int64_t width = Padded(args.width);
  const Buffers buffers(args.queries, width, scratch);
  const bool queries_finite = PackQueries(call, b, h, buffers);
  std::fill_n(buffers.dq, args.queries * width, 0.0f);
  for (int64_t j = 0; j < args.keys; j += kBlock) {
    const int64_t keys = std::min(kBlock, args.keys - j);
    const float* k = args.k.Row(b, h, j);
    const bool keys_finite =
        CopyScaled(keys, args.width, width, k, args.k.row_stride, buffers.k, 1);
    PackTransposed(keys, args.width, k, args.k.row_stride, buffers.k_by_column);
    PackTransposed(keys, args.width, args.v.Row(b, h, j), args.v.row_stride, buffers.v_by_column);
    const bool strict = !queries_finite || !keys_finite;
    std::fill_n(buffers.dk, keys * width, 0.0f);
    std::fill_n(buffers.dv, keys * width, 0.0f);
    for (int64_t i = 0; i < args.queries; i += kBlock) {
      const Pair pair = MakePair(args, b, h, i, args.queries, j);
      if (pair.Visible(pair.queries - 1) > 0) AddPair(args, pair, strict, buffers);
    }
    WriteRows(keys, args.width, buffers.dk, 1, gradients.dk.Row(b, h, j), gradients.dk.row_stride);
    WriteRows(keys, args.width, buffers.dv, 1, gradients.dv.Row(b, h, j), gradients.dv.row_stride);
  }
  WriteRows(args.queries, args.width, buffers.dq, static_cast<float>(args.scale),
            gradients.dq.Row(b, h, 0), gradients.dq.row_stride);
}

int64_t ScratchSize(int64_t queries, int64_t width) {
  return Buffers::Size(queries, Padded(width));
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(BackwardHead);
HWY_EXPORT(ScratchSize);

}  // namespace

void AttentionBackward(const AttentionArgs<float>& args, const HeadView<const float>& out,
                       const HeadView<const float>& dout, const float* lse,
                       const AttentionGradients<float>& gradients) {
  const BackwardCall call{args, out, dout, lse, gradients};
  ParallelFor(args.batch * args.heads, 1, [&](int64_t begin, int64_t end) {
    float* scratch = ThreadScratch<Slot::kAttention>(
        HWY_DYNAMIC_DISPATCH(ScratchSize)(args.queries, args.width));
    for (int64_t head = begin; head < end; ++head) {
      HWY_DYNAMIC_DISPATCH(BackwardHead)(call, head / args.heads, head % args.heads, scratch);
    }
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
