// Scaled dot-product attention. Vaswani et al., arXiv:1706.03762; computed without a T x S array in
// memory, as in Dao et al., arXiv:2205.14135.
//
//   out = softmax(scale * q k^T + mask) v
//
// Causal masks are aligned at the end: query i sees keys j <= i + S - T, so one query with a cache
// of keys sees all of them. (PyTorch aligns at the start; with T = S they agree.) A query that sees
// no key at all has output 0 and gradient 0. An output row depends, to the bit, only on the keys
// that it sees.
#ifndef LEMMA_AUTOGRAD_OPS_ATTENTION_H_
#define LEMMA_AUTOGRAD_OPS_ATTENTION_H_

#include <cstdint>
#include <optional>

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

struct AttentionOptions {
  bool causal = false;
  // Broadcast to (..., T, S). bool: false hides a key; float: added to the scaled scores, where
  // -inf hides.
  Tensor mask = {};
  // Factor of q k^T; 1 / sqrt(D) where not given.
  std::optional<double> scale = std::nullopt;
  // Dropout of the weights: a float32 mask (..., T, S) of 0 and 1 (DropoutMask), and 1 / (1 - p).
  Tensor keep = {};
  double keep_scale = 1;
};

// q (..., T, D), k (..., S, D), v (..., S, E) with equal leading dimensions -> (..., T, E).
Tensor ScaledDotProductAttention(Tensor q, Tensor k, Tensor v,
                                 const AttentionOptions& options = {});

// Attention of H heads on one packed product: qkv (B, T, 3C) holds rows of q, then k, then v, heads
// in order -> (B, T, C), heads joined. No mask but causal; keep is (B, H, T, T).
Tensor PackedAttention(Tensor qkv, int64_t heads, const AttentionOptions& options = {});

// The definition of both in plain ops, for q (..., T, D) and so on. `weights`, where given, gets
// softmax(...), before dropout: the matrix A (..., T, S), each row in the simplex.
Tensor AttentionDefinition(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionOptions& options, Tensor* weights = nullptr);

extern const OpDef kAttention;
extern const OpDef kPackedAttention;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_ATTENTION_H_
