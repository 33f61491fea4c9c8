// The keys and values of the positions that a model has seen, so that the next one is cheap.
#ifndef LEMMA_NN_KV_CACHE_H_
#define LEMMA_NN_KV_CACHE_H_

#include <cstdint>

#include "autograd/tensor.h"

namespace lemma::nn {

// Of one attention layer: up to `capacity` positions. Works under NoGrad only.
class KvCache {
 public:
  explicit KvCache(int64_t capacity) : capacity_(capacity) {}

  int64_t length() const { return length_; }
  int64_t capacity() const { return capacity_; }

  // Puts the keys and values (B, H, T, D) of the next T positions behind those held. The first call
  // fixes B, H, D and the type.
  void Append(const Tensor& keys, const Tensor& values);
  // The same with the keys and values of packed qkv (B, T, 3C), and the causal attention (B, T, C)
  // of these positions to all that is then held.
  Tensor Attend(const Tensor& qkv, int64_t heads);
  // Room for one position more of one sequence, in float32, which counts as held from now on:
  // whoever asks writes it at once (autograd/kernels/cached_attention.h).
  struct Slot {
    float* keys;    // (H, D, CachedColumns(capacity)), all of them
    float* values;  // (H, capacity, D)
    int64_t position;
  };
  Slot AddPosition(int64_t heads, int64_t d);
  // All that is held: (B, H, length, D), views of the cache's memory.
  Tensor keys() const;
  Tensor values() const;

  // Forgets all positions; the memory is kept, and with it B, H, D and the type.
  void Clear() { length_ = 0; }

 private:
  // Makes room for `added` more rows of keys (B, H, _, D).
  void Reserve(int64_t b, int64_t h, int64_t added, int64_t d, DType dtype);

  int64_t capacity_;
  int64_t length_ = 0;
  Tensor keys_;    // (B, H, D, CachedColumns(capacity)), see autograd/ops/cached_attention.h
  Tensor values_;  // (B, H, capacity, D)
};

}  // namespace lemma::nn

#endif  // LEMMA_NN_KV_CACHE_H_
