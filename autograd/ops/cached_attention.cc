#include "autograd/ops/cached_attention.h"

#include "autograd/error.h"
#include "autograd/kernels/cached_attention.h"
#include "autograd/ops/checks.h"

namespace lemma {
namespace {

constexpr const char* kName = "cached_attention";

void CheckCache(const char* name, const Tensor& cache, const Shape& shape, const Tensor& qkv) {
  CheckSameDType(kName, "qkv", qkv, name, cache);
  CheckShape(kName, name, cache, shape);
  if (!cache.IsContiguous()) Fail(kName, name, ": it must be contiguous");
}

void Check(const Tensor& qkv, int64_t heads, const Tensor& keys, const Tensor& values,
           int64_t length) {
  CheckFloat(kName, "qkv", qkv);
  CheckRank(kName, "qkv", qkv, 3);
  CheckRank(kName, "values", values, 4);
  if (heads <= 0 || qkv.size(2) % (3 * heads) != 0) {
    Fail(kName, "heads: the last dimension of qkv, ", qkv.size(2),
         ", must be 3 times a multiple of ", heads, " heads; qkv is ", qkv.shape().ToString());
  }
  const int64_t b = qkv.size(0), t = qkv.size(1), d = qkv.size(2) / 3 / heads;
  const int64_t capacity = values.size(2);
  CheckCache("keys", keys, {b, heads, d, kernels::CachedColumns(capacity)}, qkv);
  CheckCache("values", values, {b, heads, capacity, d}, qkv);
  if (length < 0 || length + t > capacity) {
    Fail(kName, "values: there is room for ", capacity, " positions; ", length, " are held and ", t,
         " more were given");
  }
  if (IsGradEnabled() && qkv.requires_grad()) {
    Fail(kName, "qkv: requires a gradient, and a cache records nothing; put it under NoGrad");
  }
}

}  // namespace

Tensor CachedAttention(const Tensor& qkv, int64_t heads, Tensor& keys, Tensor& values,
                       int64_t length) {
  Check(qkv, heads, keys, values, length);
  const Tensor packed = qkv.DetachedContiguous();
  Tensor out = Tensor::Empty({qkv.size(0), qkv.size(1), qkv.size(2) / 3}, qkv.dtype());
  if (out.numel() == 0) return out;
  VisitFloat(qkv.dtype(), [&]<typename T>() {
    kernels::CachedAttention<T>({.batch = qkv.size(0),
                                 .heads = heads,
                                 .width = values.size(3),
                                 .positions = qkv.size(1),
                                 .length = length,
                                 .capacity = values.size(2),
                                 .qkv = packed.data<T>(),
                                 .keys = keys.mutable_data<T>(),
                                 .values = values.mutable_data<T>(),
                                 .out = out.mutable_data<T>()},
                                0, heads);
  });
  return out;
}

}  // namespace lemma
