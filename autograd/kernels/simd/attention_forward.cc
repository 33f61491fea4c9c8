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
    max = take(rows + 4);
    sum = take(rows + 4);
    k = take(kBlock * width);
    v = take(kBlock * width);
    p = take((kBlock + 4) * kBlock);
  }
  static int64_t Size(int64_t queries, int64_t width) {
    return Blocks(queries) * kBlock * (2 * width + 2) + 8 + kBlock * (2 * width + kBlock + 4);
  }

  float* q;    // (queries, width), times the scale
  float* out;  // (queries, width), not divided by the sums
  float* max;  // (queries), the greatest score so far
  float* sum;  // (queries), of the exponentials so far
  float* k;    // (width, 64)
  float* v;    // (64, width)
  float* p;    // (64 + 4, 64), scores, then their exponentials
};

// Brings what query r summed so far to the scale of a greater maximum.
HWY_INLINE void Rescale(int64_t width, float new_max, float* max, float* sum, float* out) {
  const F32 f;
  if (*max != kMinusInfinity) {
    const V32 factor = ExpNonPositive(hn::Set(f, *max - new_max));
    *sum *= hn::GetLane(factor);
    for (int64_t d = 0; d < width; d += kLanes) {
      hn::StoreU(hn::Mul(hn::LoadU(f, out + d), factor), f, out + d);
    }
  }
  *max = new_max;
}

// Brings `combine` over the lanes of kRows vectors, one or four.
template <int kRows, typename Combine>
HWY_INLINE void Reduce(const V32* v, const Combine& combine, float* reduced) {
  ReduceFour(F32(), v[0], v[1 % kRows], v[2 % kRows], v[3 % kRows], combine, reduced);
}

// The greatest scores of kRows queries; scores behind visible[i] become -inf.
template <int kRows>
HWY_INLINE void MaxOfRows(int64_t vecs, const int64_t* visible, float* p, float* max) {
  const F32 f;
  const V32 low = hn::Set(f, kMinusInfinity);
  V32 greatest[kRows];
  LEMMA_UNROLL
  for (int i = 0; i < kRows; ++i) greatest[i] = low;
  const int64_t whole = visible[0] / kLanes;
  for (int64_t v = 0; v < whole; ++v) {
    LEMMA_UNROLL
    for (int i = 0; i < kRows; ++i) {
      greatest[i] = hn::Max(hn::LoadU(f, p + i * kBlock + v * kLanes), greatest[i]);
    }
  }
  for (int64_t v = whole; v < vecs; ++v) {
    LEMMA_UNROLL
    for (int i = 0; i < kRows; ++i) {
      float* at = p + i * kBlock + v * kLanes;
      const int64_t count = std::clamp<int64_t>(visible[i] - v * kLanes, 0, kLanes);
      const auto seen = hn::FirstN(f, static_cast<size_t>(count));
      const V32 score = hn::IfThenElse(seen, hn::LoadU(f, at), low);
      hn::StoreU(score, f, at);
      greatest[i] = hn::Max(score, greatest[i]);
    }
  }
  Reduce<kRows>(
      greatest, [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); }, max);
}

// The scores of the queries [row, row + kRows), one or four, become exponentials relative to each
// one's greatest score so far, with zeros for the keys that are not seen. The buffers have room for
// queries behind the last; nothing of these is kept.
template <int kRows>
HWY_INLINE void SoftmaxRows(const Pair& pair, int64_t row, int64_t width, int64_t first_row,
                            const Buffers& buffers) {
  const F32 f;
  float* p = buffers.p + row * kBlock;
  float* max = buffers.max + first_row + row;
  float* sum = buffers.sum + first_row + row;
  float* out = buffers.out + (first_row + row) * width;
  const int64_t rows = std::min<int64_t>(kRows, pair.queries - row);
  const int64_t vecs = (pair.Visible(row + rows - 1) + kLanes - 1) / kLanes;
  int64_t visible[kRows];
  for (int64_t i = 0; i < kRows; ++i) visible[i] = pair.Visible(row + i);
  HWY_ALIGN float reduced[4];
  MaxOfRows<kRows>(vecs, visible, p, reduced);
  V32 shift[kRows], total[kRows];
  for (int64_t i = 0; i < kRows; ++i) {
    if (i < rows && reduced[i] > max[i]) {
      Rescale(width, reduced[i], max + i, sum + i, out + i * width);
    }
    // Where every score is -inf, subtracting it would make NaN.
    shift[i] = hn::Set(f, i < rows && max[i] != kMinusInfinity ? max[i] : 0.0f);
    total[i] = hn::Zero(f);
  }
  for (int64_t v = 0; v < vecs; ++v) {
    LEMMA_UNROLL
    for (int i = 0; i < kRows; ++i) {
      float* at = p + i * kBlock + v * kLanes;
      const V32 e = ExpNonPositive(hn::Sub(hn::LoadU(f, at), shift[i]));
      hn::StoreU(e, f, at);
      total[i] = hn::Add(total[i], e);
    }
  }
  Reduce<kRows>(
      total, [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); }, reduced);
  for (int64_t i = 0; i < rows; ++i) {
    sum[i] += reduced[i];
    for (int64_t j = vecs * kLanes; j < kBlock; j += kLanes) {
      hn::StoreU(hn::Zero(f), f, p + i * kBlock + j);
    }
  }
}

HWY_INLINE void ApplyDropout(const float* keep, float scale, int64_t visible, float* p) {
  for (int64_t j = 0; j < visible; ++j) p[j] *= keep[j] * scale;
}

void AddPair(const AttentionArgs<float>& args, const Pair& pair, const KeyColumns& keys,
             const float* v, int64_t v_stride, bool strict, const Buffers& buffers,
             int64_t first_row) {
  const int64_t width = Padded(args.width);
  const int64_t row = pair.FirstQuery(0);
  float* out = buffers.out + first_row * width;
  Scores(pair, row, width, buffers.q + first_row * width, keys, buffers.p);
  if (args.mask.Given()) {
    for (int64_t r = row; r < pair.queries; ++r) {
      ApplyMask(args, pair, r, pair.Visible(r), buffers.p + r * kBlock);
    }
  }
  for (int64_t r = row; r < pair.queries; r += 4) {
    if (r + 1 == pair.queries) {
      SoftmaxRows<1>(pair, r, width, first_row, buffers);
    } else {
      SoftmaxRows<4>(pair, r, width, first_row, buffers);
    }
  }
  if (args.dropout_keep != nullptr) {
    for (int64_t r = row; r < pair.queries; ++r) {
      ApplyDropout(DropoutRow(args, pair, r), static_cast<float>(args.dropout_scale),
                   pair.Visible(r), buffers.p + r * kBlock);
    }
  }
  AddProduct(
      RowMajor(), row, pair.queries, width, strict, [](int64_t) { return int64_t{0}; },
      [&](int64_t r) { return pair.Visible(r); }, buffers.p, v, v_stride, out, width);
}

// Divides by the sums, which become their inverses, and writes the logarithms, if wanted. A query
// that sees no key has the sum 0.
void WriteOutputs(const AttentionArgs<float>& args, const Buffers& buffers, int64_t rows,
                  const HeadView<float>& out, int64_t b, int64_t h, int64_t begin, float* lse) {
  const F32 f;
  ForVectors(0, rows, [&](int64_t r, auto a) HWY_ATTR {
    const V32 sum = a.Load(buffers.sum + r);
    if (lse != nullptr) a.Store(hn::Add(a.Load(buffers.max + r), LogOf(sum)), lse + r);
    const V32 inverse = hn::Div(hn::Set(f, 1.0f), sum);
    a.Store(hn::IfThenZeroElse(hn::Eq(sum, hn::Zero(f)), inverse), buffers.sum + r);
  });
  for (int64_t r = 0; r < rows; ++r) {
    const V32 factor = hn::Set(f, buffers.sum[r]);
    const float* from = buffers.out + r * Padded(args.width);
    float* to = out.Row(b, h, begin + r);
    // Adding 0 makes -0 a plain 0, whose sign could come from keys that are not seen.
    ForVectors(0, args.width, [&](int64_t d, auto a) HWY_ATTR {
      a.Store(hn::Add(hn::Mul(a.Load(from + d), factor), hn::Zero(f)), to + d);
    });
  }
}

// The queries [begin, end) of head (b, h); begin is a multiple of 64.
void ForwardHead(const AttentionArgs<float>& args, const HeadView<float>& out, float* lse,
                 int64_t b, int64_t h, int64_t begin, int64_t end, float* scratch) {
  const int64_t width = Padded(args.width);
  const Buffers buffers(end - begin, width, scratch);
  std::fill_n(buffers.out, (end - begin) * width, 0.0f);
  std::fill_n(buffers.max, end - begin, kMinusInfinity);
  std::fill_n(buffers.sum, end - begin, 0.0f);
  CopyScaled(end - begin, args.width, width, args.q.Row(b, h, begin), args.q.row_stride, buffers.q,
             static_cast<float>(args.scale));
  // Few queries read the values where they are, whole vectors permitting.
  const bool in_place = args.width == width && end - begin < 8;
  for (int64_t j = 0; j < std::min(args.keys, args.VisibleKeys(end - 1)); j += kBlock) {
    const int64_t keys = std::min(kBlock, args.keys - j);
    KeyColumns columns{args.k.Row(b, h, j), args.k.column_stride, args.width};
    if (!args.k.IsTransposed()) {
      PackTransposed(keys, args.width, columns.data, args.k.row_stride, buffers.k);
      columns = {buffers.k, kBlock, args.width};
    }
    const float* v = args.v.Row(b, h, j);
    int64_t v_stride = args.v.row_stride;
    bool strict = true;
    if (!in_place) {
      strict = !CopyScaled(keys, args.width, width, v, v_stride, buffers.v, 1.0f);
      v = buffers.v;
      v_stride = width;
    }
    for (int64_t i = begin; i < end; i += kBlock) {
      const Pair pair = MakePair(args, b, h, i, end, j);
      if (pair.Visible(pair.queries - 1) == 0) continue;
      AddPair(args, pair, columns, v, v_stride, strict, buffers, i - begin);
    }
  }
  WriteOutputs(args, buffers, end - begin, out, b, h, begin,
               lse == nullptr ? nullptr : lse + (b * args.heads + h) * args.queries + begin);
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
constexpr int64_t kMultiplyAddsPerThread = 32768;

}  // namespace

void AttentionForward(const AttentionArgs<float>& args, const HeadView<float>& out, float* lse) {
  const int64_t heads = args.batch * args.heads;
  if (heads == 0 || args.queries == 0) return;
  // With few heads their queries are split too. No bit of the result depends on it.
  const bool split = heads < 2 * NumThreads();
  const int64_t step = split ? kQueriesOfATask : args.queries;
  const int64_t parts = (args.queries + step - 1) / step;
  const int64_t work = std::min(step, args.queries) * args.keys * args.width;  // of a task
  const int64_t grain = 1 + kMultiplyAddsPerThread / std::max<int64_t>(work, 1);
  ParallelFor(heads * parts, grain, [&](int64_t begin, int64_t end) {
    float* scratch =
        ThreadScratch<Slot::kAttention>(HWY_DYNAMIC_DISPATCH(ScratchSize)(step, args.width));
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
