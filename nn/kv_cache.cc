#include "nn/kv_cache.h"

#include "autograd/kernels/cached_attention.h"
#include "autograd/ops/cached_attention.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/views.h"

namespace lemma::nn {

void KvCache::Reserve(int64_t b, int64_t h, int64_t added, int64_t d, DType dtype) {
  const char* op = "kv_cache";
  if (IsGradEnabled()) Fail(op, "a cache works under NoGrad only; nothing in it is recorded");
  const Shape held{b, h, capacity_, d};
  if (!values_.defined()) {
    keys_ = Tensor::Empty({b, h, d, kernels::CachedColumns(capacity_)}, dtype);
    values_ = Tensor::Empty(held, dtype);
  }
  if (held != values_.shape()) {
    Fail(op, "keys: the cache was filled with (B, H, capacity, D) = ", values_.shape().ToString(),
         "; these are ", Shape{b, h, added, d}.ToString());
  }
  if (dtype != values_.dtype()) {
    Fail(op, "keys: the cache was filled with ", Name(values_.dtype()), "; these are ",
         Name(dtype));
  }
  if (length_ + added > capacity_) {
    Fail(op, "there is room for ", capacity_, " positions; ", length_, " are held and ", added,
         " more were given; Clear() and fill it anew");
  }
}

void KvCache::Append(const Tensor& keys, const Tensor& values) {
  if (keys.rank() != 4 || keys.shape() != values.shape()) {
    Fail("kv_cache", "keys and values must both be (B, H, T, D); they are ",
         keys.shape().ToString(), " and ", values.shape().ToString());
  }
  const int64_t added = keys.size(2);
  Reserve(keys.size(0), keys.size(1), added, keys.size(3), keys.dtype());
  Tensor key_slots = Slice(Transpose(keys_, 2, 3), 2, length_, length_ + added);
  Tensor value_slots = Slice(values_, 2, length_, length_ + added);
  CopyFrom(key_slots, keys);
  CopyFrom(value_slots, values);
  length_ += added;
}

KvCache::Slot KvCache::AddPosition(int64_t heads, int64_t d) {
  Reserve(1, heads, 1, d, DType::kFloat32);
  ++length_;
  return {keys_.mutable_data<float>(), values_.mutable_data<float>(), length_ - 1};
}

Tensor KvCache::Attend(const Tensor& qkv, int64_t heads) {
  Reserve(qkv.size(0), heads, qkv.size(1), qkv.size(2) / 3 / heads, qkv.dtype());
  Tensor out = CachedAttention(qkv, heads, keys_, values_, length_);
  length_ += qkv.size(1);
  return out;
}

Tensor KvCache::keys() const { return Slice(Transpose(keys_, 2, 3), 2, 0, length_); }
Tensor KvCache::values() const { return Slice(values_, 2, 0, length_); }

}  // namespace lemma::nn
