// Attention of new positions to those that came before, for sampling.
#ifndef LEMMA_AUTOGRAD_OPS_CACHED_ATTENTION_H_
#define LEMMA_AUTOGRAD_OPS_CACHED_ATTENTION_H_

#include <cstdint>

#include "autograd/tensor.h"

namespace lemma {

// PackedAttention, causal, of T positions that follow `length` others: qkv (B, T, 3C) -> (B, T, C).
// The new values are written to the rows [length, length + T) of values (B, H, capacity, D), whose
// rows before hold those of the others, and the new keys to the same columns of keys
// (B, H, D, kernels::CachedColumns(capacity)), which are kept as the scores read them; both are
// row-major.
// The result has the bits of PackedAttention's last T positions of the whole. In place, so nothing
// is recorded: under NoGrad only.
Tensor CachedAttention(const Tensor& qkv, int64_t heads, Tensor& keys, Tensor& values,
                       int64_t length);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_CACHED_ATTENTION_H_
