#include "autograd/ops/cached_attention.h"

#include <cmath>
#include <cstring>

#include "autograd/error.h"
#include "autograd/kernels/attention.h"
#include "autograd/ops/checks.h"

namespace lemma {
namespace {

constexpr const char* kName = "cached_attention";

// B, H, T, D, C and how many positions the cache has room for.
struct Sizes {
  int64_t b, h, t, d, c, capacity;
};

Sizes Check(const Tensor& qkv, int64_t heads, const Tensor& keys, const Tensor& values,
            int64_t length) {
  CheckFloat(kName, "qkv", qkv);
  CheckRank(kName, "qkv", qkv, 3);
  CheckRank(kName, "keys", keys, 4);
  if (heads <= 0 || qkv.size(2) % (3 * heads) != 0) {
    Fail(kName, "heads: the last dimension of qkv, ", qkv.size(2),
         ", must be 3 times a multiple of ", heads, " heads; qkv is ", qkv.shape().ToString());
  }
  const Sizes s{.b = qkv.size(0),
                .h = heads,
                .t = qkv.size(1),
                .d = qkv.size(2) / 3 / heads,
                .c = qkv.size(2) / 3,
                .capacity = keys.size(2)};
  for (const auto& [name, cache] : {std::pair("keys", &keys), {"values", &values}}) {
    CheckSameDType(kName, "qkv", qkv, name, *cache);
    CheckShape(kName, name, *cache, {s.b, s.h, s.capacity, s.d});
    if (!cache->IsContiguous()) Fail(kName, name, ": it must be contiguous");
  }
  if (length < 0 || length + s.t > s.capacity) {
    Fail(kName, "keys: there is room for ", s.capacity, " positions; ", length, " are held and ",
         s.t, " more were given");
  }
  if (IsGradEnabled() && qkv.requires_grad()) {
    Fail(kName, "qkv: requires a gradient, and a cache records nothing; put it under NoGrad");
  }
  return s;
}

// Rows of part `part` of qkv (B, T, 3, H, D) to rows `length` on of the cache (B, H, capacity, D).
template <typename T>
void Append(const Sizes& s, const T* qkv, int part, int64_t length, T* cache) {
  for (int64_t b = 0; b < s.b; ++b) {
    for (int64_t t = 0; t < s.t; ++t) {
      const T* row = qkv + ((b * s.t + t) * 3 + part) * s.c;
      for (int64_t h = 0; h < s.h; ++h) {
        std::memcpy(cache + ((b * s.h + h) * s.capacity + length + t) * s.d, row + h * s.d,
                    static_cast<size_t>(s.d) * sizeof(T));
      }
    }
  }
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
    Append(s, q, 1, length, k);
    Append(s, q, 2, length, v);
    kernels::AttentionArgs<T> args;
    args.batch = s.b, args.heads = s.h, args.queries = s.t, args.keys = length + s.t;
    args.width = s.d;
    args.q = {q, s.t * 3 * s.c, s.d, 3 * s.c};
    args.k = {k, s.h * s.capacity * s.d, s.capacity * s.d, s.d};
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
