#include "autograd/ops/cached_attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/error.h"
#include "autograd/kernels/attention.h"
#include "autograd/ops/checks.h"

namespace lemma {
namespace {

constexpr const char* kName = "cached_attention";

// B, H, T, D, C, how many positions the cache has room for, and the length of its rows of keys.
struct Sizes {
  int64_t b, h, t, d, c, capacity, columns;
};

void CheckCache(const char* name, const Tensor& cache, const Shape& shape, const Tensor& qkv) {
  CheckSameDType(kName, "qkv", qkv, name, cache);
  CheckShape(kName, name, cache, shape);
  if (!cache.IsContiguous()) Fail(kName, name, ": it must be contiguous");
}

Sizes Check(const Tensor& qkv, int64_t heads, const Tensor& keys, const Tensor& values,
            int64_t length) {
  CheckFloat(kName, "qkv", qkv);
  CheckRank(kName, "qkv", qkv, 3);
  CheckRank(kName, "values", values, 4);
  if (heads <= 0 || qkv.size(2) % (3 * heads) != 0) {
    Fail(kName, "heads: the last dimension of qkv, ", qkv.size(2),
         ", must be 3 times a multiple of ", heads, " heads; qkv is ", qkv.shape().ToString());
  }
  const Sizes s{.b = qkv.size(0),
                .h = heads,
                .t = qkv.size(1),
                .d = qkv.size(2) / 3 / heads,
                .c = qkv.size(2) / 3,
                .capacity = values.size(2),
                .columns = CachedColumns(values.size(2))};
  CheckCache("keys", keys, {s.b, s.h, s.d, s.columns}, qkv);
  CheckCache("values", values, {s.b, s.h, s.capacity, s.d}, qkv);
  if (length < 0 || length + s.t > s.capacity) {
    Fail(kName, "values: there is room for ", s.capacity, " positions; ", length, " are held and ",
         s.t, " more were given");
  }
  if (IsGradEnabled() && qkv.requires_grad()) {
    Fail(kName, "qkv: requires a gradient, and a cache records nothing; put it under NoGrad");
  }
  return s;
}

// Calls fn(t, head, row) for the rows (D) of part `part` of qkv (B, T, 3, H, D), where `head`
// counts those of all sequences.
template <typename T, typename Fn>
void ForRows(const Sizes& s, const T* qkv, int part, const Fn& fn) {
  for (int64_t b = 0; b < s.b; ++b) {
    for (int64_t t = 0; t < s.t; ++t) {
      const T* row = qkv + ((b * s.t + t) * 3 + part) * s.c;
      for (int64_t h = 0; h < s.h; ++h) fn(t, b * s.h + h, row + h * s.d);
    }
  }
}

template <typename T>
void AppendKeys(const Sizes& s, const T* qkv, int64_t length, T* keys) {
  ForRows(s, qkv, 1, [&](int64_t t, int64_t head, const T* row) {
    T* to = keys + head * s.d * s.columns + length + t;
    for (int64_t d = 0; d < s.d; ++d) to[d * s.columns] = row[d];
  });
}

template <typename T>
void AppendValues(const Sizes& s, const T* qkv, int64_t length, T* values) {
  ForRows(s, qkv, 2, [&](int64_t t, int64_t head, const T* row) {
    std::copy_n(row, s.d, values + (head * s.capacity + length + t) * s.d);
  });
}

}  // namespace

Tensor CachedAttention(const Tensor& qkv, int64_t heads, Tensor& keys, Tensor& values,
                       int64_t length) {
  const Sizes s = Check(qkv, heads, keys, values, length);
  const Tensor packed = qkv.DetachedContiguous();
  Tensor out = Tensor::Empty({s.b, s.t, s.c}, qkv.dtype());
  VisitFloat(qkv.dtype(), [&]<typename T>() {
    const T* q = packed.data<T>();
    T* k = keys.mutable_data<T>();
    T* v = values.mutable_data<T>();
    AppendKeys(s, q, length, k);
    AppendValues(s, q, length, v);
    kernels::AttentionArgs<T> args;
    args.batch = s.b, args.heads = s.h, args.queries = s.t, args.keys = length + s.t;
    args.width = s.d;
    args.q = {q, s.t * 3 * s.c, s.d, 3 * s.c};
    args.k = {k, s.h * s.d * s.columns, s.d * s.columns, 1, s.columns};
    args.v = {v, s.h * s.capacity * s.d, s.capacity * s.d, s.d};
    args.scale = 1 / std::sqrt(static_cast<double>(s.d));
    args.causal = true;
    Tensor lse = Tensor::Empty({s.b, s.h, s.t}, DTypeOf<Accumulator<T>>());
    if (out.numel() == 0) return;
    kernels::AttentionForward<T>(args, {out.mutable_data<T>(), s.t * s.c, s.d, s.c},
                                 lse.mutable_data<Accumulator<T>>());
  });
  return out;
}

}  // namespace lemma
