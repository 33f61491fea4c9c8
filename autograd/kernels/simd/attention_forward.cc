#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autograd/kernels/attention_args.h"
#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/attention.h"
#include "autograd/kernels/simd/scratch.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/attention_forward.cc"
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

// The working memory of some queries of one head; widths are padded.
struct Buffers {
  Buffers(int64_t queries, int64_t width, float* scratch) {
    const int64_t rows = Blocks(queries) * kBlock;
    const auto take = [&scratch](int64_t count) {
      float* taken = scratch;
      scratch += count;
      return taken;
    };
    q = take(rows * width);
    out = take(rows * width);
    max = take(rows);
    sum = take(rows);
    k = take(kBlock * width);
    v = take(kBlock * width);
    p = take(kBlock * kBlock);
  }
  static int64_t Size(int64_t queries, int64_t width) {
    return Blocks(queries) * kBlock * (2 * width + 2) + kBlock * (2 * width + kBlock);
  }

  float* q;    // blocks of (width, 64), times the scale
  float* out;  // (queries, width), not divided by the sums
  float* max;  // (queries), the greatest score so far
  float* sum;  // (queries), of the exponentials so far
  float* k;    // (width, 64)
  float* v;    // (64, width)
  float* p;    // (64, 64), scores, then their exponentials
};

// The row's scores become exponentials relative to the greatest score so far; what was summed
// before is brought to the same scale. Behind `visible` there are zeros.
HWY_INLINE void SoftmaxRow(int64_t visible, int64_t width, float* p, float* max, float* sum,
                           float* out) {
  const F32 f;
  V32 greatest = hn::Set(f, *max);
  ForVectors(0, visible, [&](int64_t j, auto a) HWY_ATTR {
    greatest = hn::Max(Valid(a, hn::LoadU(f, p + j), greatest), greatest);
  });
  const float new_max = Max(f, greatest);
  if (new_max != *max) {
    const V32 factor = ExpNonPositive(hn::Set(f, *max - new_max));
    *sum *= hn::GetLane(factor);
    for (int64_t d = 0; d < width; d += kLanes) {
      hn::StoreU(hn::Mul(hn::LoadU(f, out + d), factor), f, out + d);
    }
    *max = new_max;
  }
  // Where every score is -inf, subtracting it would make NaN.
  const V32 shift = hn::Set(f, new_max == kMinusInfinity ? 0.0f : new_max);
  V32 total = hn::Zero(f);
  ForVectors(0, visible, [&](int64_t j, auto a) HWY_ATTR {
    const V32 e = ExpNonPositive(hn::Sub(hn::LoadU(f, p + j), shift));
    const V32 valid = Valid(a, e, hn::Zero(f));
    total = hn::Add(total, valid);
    hn::StoreU(valid, f, p + j);
  });
  *sum += Sum(f, total);
  for (int64_t j = (visible + kLanes - 1) / kLanes * kLanes; j < kBlock; j += kLanes) {
    hn::StoreU(hn::Zero(f), f, p + j);
  }
}

HWY_INLINE void ApplyDropout(const float* keep, float scale, int64_t visible, float* p) {
  for (int64_t j = 0; j < visible; ++j) p[j] *= keep[j] * scale;
}

void AddPair(const AttentionArgs<float>& args, const Pair& pair, const float* v, int64_t v_stride,
             bool strict, const Buffers& buffers, int64_t first_row) {
  const int64_t width = Padded(args.width);
  const int64_t row = pair.FirstQuery(0);
  float* out = buffers.out + first_row * width;
  Scores(pair, row, width, buffers.q + first_row * width, buffers.k, buffers.p);
  for (int64_t r = row; r < pair.queries; ++r) {
    const int64_t visible = pair.Visible(r);
    float* p = buffers.p + r * kBlock;
    if (args.mask.Given()) ApplyMask(args, pair, r, visible, p);
    SoftmaxRow(visible, width, p, buffers.max + first_row + r, buffers.sum + first_row + r,
               out + r * width);
    const float* keep = DropoutRow(args, pair, r);
    if (keep != nullptr) ApplyDropout(keep, static_cast<float>(args.dropout_scale), visible, p);
  }
  AddProduct<RowMajor>(
      row, pair.queries, width, strict, [](int64_t) { return int64_t{0}; },
      [&](int64_t r) { return pair.Visible(r); }, buffers.p, v, v_stride, out, width);
}

void WriteRow(int64_t width, const float* sums, float max, float sum, float* out, float* lse) {
  const F32 f;
  // A query that sees no key has the sum 0. Adding 0 makes -0 a plain 0.
  const V32 factor = hn::Set(f, sum == 0 ? 0.0f : 1.0f / sum);
  ForVectors(0, width, [&](int64_t d, auto a) HWY_ATTR {
    a.Store(hn::Add(hn::Mul(a.Load(sums + d), factor), hn::Zero(f)), out + d);
  });
  *lse = sum == 0 ? kMinusInfinity : max + std::log(sum);
}

// The queries [begin, end) of head (b, h); begin is a multiple of 64.
void ForwardHead(const AttentionArgs<float>& args, const HeadView<float>& out, float* lse,
                 int64_t b, int64_t h, int64_t begin, int64_t end, float* scratch) {
  const int64_t width = Padded(args.width);
  const Buffers buffers(end - begin, width, scratch);
  std::fill_n(buffers.out, (end - begin) * width, 0.0f);
  std::fill_n(buffers.max, end - begin, kMinusInfinity);
  std::fill_n(buffers.sum, end - begin, 0.0f);
  for (int64_t i = begin; i < end; i += kBlock) {
    PackTransposed(std::min(kBlock, end - i), args.width, args.q.Row(b, h, i), args.q.row_stride,
                   static_cast<float>(args.scale), buffers.q + (i - begin) * width);
  }
  // Few queries read the values where they are, whole vectors permitting.
  const bool in_place = args.width == width && end - begin < 8;
  for (int64_t j = 0; j < std::min(args.keys, args.VisibleKeys(end - 1)); j += kBlock) {
    const int64_t keys = std::min(kBlock, args.keys - j);
    PackTransposed(keys, args.width, args.k.Row(b, h, j), args.k.row_stride, 1.0f, buffers.k);
    const float* v = args.v.Row(b, h, j);
    int64_t v_stride = args.v.row_stride;
    bool strict = true;
    if (!in_place) {
      CopyScaled(keys, args.width, width, v, v_stride, buffers.v, 1.0f);
      v = buffers.v;
      v_stride = width;
      strict = !AllFinite(keys * width, v);
    }
    for (int64_t i = begin; i < end; i += kBlock) {
      const Pair pair = MakePair(args, b, h, i, end, j);
      if (pair.Visible(pair.queries - 1) == 0) continue;
      AddPair(args, pair, v, v_stride, strict, buffers, i - begin);
    }
  }
  for (int64_t i = begin; i < end; ++i) {
    const int64_t r = i - begin;
    WriteRow(args.width, buffers.out + r * width, buffers.max[r], buffers.sum[r],
             out.Row(b, h, i), lse + (b * args.heads + h) * args.queries + i);
  }
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

HWY_EXPORT(ForwardHead);
HWY_EXPORT(ScratchSize);

constexpr int64_t kQueriesOfATask = 64;

}  // namespace

void AttentionForward(const AttentionArgs<float>& args, const HeadView<float>& out, float* lse) {
  const int64_t heads = args.batch * args.heads;
  if (heads == 0 || args.queries == 0) return;
  // With few heads their queries are split too. No bit of the result depends on it.
  const bool split = heads < 2 * NumThreads();
  const int64_t step = split ? kQueriesOfATask : args.queries;
  const int64_t parts = (args.queries + step - 1) / step;
  ParallelFor(heads * parts, 1, [&](int64_t begin, int64_t end) {
    float* scratch = ThreadScratch<Slot::kAttention>(
        HWY_DYNAMIC_DISPATCH(ScratchSize)(step, args.width));
    for (int64_t task = begin; task < end; ++task) {
      const int64_t head = task / parts, first = task % parts * step;
      HWY_DYNAMIC_DISPATCH(ForwardHead)
      (args, out, lse, head / args.heads, head % args.heads, first,
       std::min(first + step, args.queries), scratch);
    }
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
