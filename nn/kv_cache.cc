#include "nn/kv_cache.h"

#include "autograd/ops/in_place.h"
#include "autograd/ops/views.h"

namespace lemma::nn {

void KvCache::Append(const Tensor& keys, const Tensor& values) {
  const char* op = "kv_cache";
  if (IsGradEnabled()) Fail(op, "a cache works under NoGrad only; nothing in it is recorded");
  if (keys.rank() != 4 || keys.shape() != values.shape()) {
    Fail(op, "keys and values must both be (B, H, T, D); they are ", keys.shape().ToString(),
         " and ", values.shape().ToString());
  }
  Shape held = keys.shape();
  held[2] = capacity_;
  if (!keys_.defined()) {
    keys_ = Tensor::Empty(held, keys.dtype());
    values_ = Tensor::Empty(held, keys.dtype());
  }
  if (held != keys_.shape()) {
    Fail(op, "keys: the cache was filled with (B, H, capacity, D) = ", keys_.shape().ToString(),
         "; these are ", keys.shape().ToString());
  }
  const int64_t added = keys.size(2);
  if (length_ + added > capacity_) {
    Fail(op, "there is room for ", capacity_, " positions; ", length_, " are held and ", added,
         " more were given; Clear() and fill it anew");
  }
  Tensor key_slots = Slice(keys_, 2, length_, length_ + added);
  Tensor value_slots = Slice(values_, 2, length_, length_ + added);
  CopyFrom(key_slots, keys);
  CopyFrom(value_slots, values);
  length_ += added;
}

Tensor KvCache::keys() const { return Slice(keys_, 2, 0, length_); }
Tensor KvCache::values() const { return Slice(values_, 2, 0, length_); }

}  // namespace lemma::nn
