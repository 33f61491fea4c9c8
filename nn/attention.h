// Multi-head attention. Vaswani et al., arXiv:1706.03762.
#ifndef LEMMA_NN_ATTENTION_H_
#define LEMMA_NN_ATTENTION_H_

#include <cstdint>

#include "autograd/random.h"
#include "autograd/tensor.h"
#include "nn/dropout.h"
#include "nn/kv_cache.h"
#include "nn/linear.h"
#include "nn/module.h"

namespace lemma::nn {

struct MultiHeadAttentionOptions {
  int64_t in = 0;   // width of the inputs
  int64_t out = 0;  // width of the result, split among the heads
  int64_t heads = 1;
  bool qkv_bias = false;
  bool out_bias = true;
  bool causal = false;
  double dropout = 0;                      // of the weights
  Generator* dropout_generator = nullptr;  // needed for dropout > 0
  DType compute_dtype = DType::kFloat32;   // of the Linear layers' products
};

// Queries from x, keys and values from a source, which is x itself where none is given:
// x (B, T, in), source (B, S, in) -> (B, T, out). Parameters in the order of the draws: q_proj,
// k_proj, v_proj, out_proj. With heads H they number 3 in out + out^2 + out, whatever H is.
// Reports to an observer: "weights", A (B, H, T, S).
class MultiHeadAttention : public Layer<MultiHeadAttention> {
 public:
  MultiHeadAttention(const MultiHeadAttentionOptions& options, Generator& generator);

  const char* type() const override { return "MultiHeadAttention"; }
  Tensor Forward(Tensor x, Tensor source = {});

  Linear q_proj, k_proj, v_proj;  // weights (out, in)
  Linear out_proj;                // weight (out, out)
  Dropout dropout;

 private:
  const MultiHeadAttentionOptions options_;
};

struct CausalSelfAttentionOptions {
  int64_t width = 0;  // C
  int64_t heads = 1;  // H
  bool qkv_bias = false;
  bool proj_bias = true;
  double dropout = 0;                      // of the weights
  Generator* dropout_generator = nullptr;  // needed for dropout > 0
  DType compute_dtype = DType::kFloat32;   // of the Linear layers' products
};

// x (B, T, C) -> (B, T, C): the attention of a GPT. One product gives q, k and v of all heads; the
// course's matrices, heads.h.key, .query and .value, are its rows, and initial values are drawn for
// them in the course's order: for each head key, query, value. Reports "weights", A (B, H, T, S).
//
// With a cache (under NoGrad) x holds the next T positions, and they see all that the cache holds.
class CausalSelfAttention : public Layer<CausalSelfAttention> {
 public:
  CausalSelfAttention(const CausalSelfAttentionOptions& options, Generator& generator);

  const char* type() const override { return "CausalSelfAttention"; }
  Tensor Forward(Tensor x, KvCache* cache = nullptr);

  Linear qkv;   // weight (3C, C): rows of q, then k, then v, heads in order
  Linear proj;  // weight (C, C)
  Dropout dropout;

 private:
  void DrawHeads(Generator& generator);

  const CausalSelfAttentionOptions options_;
};

}  // namespace lemma::nn

#endif  // LEMMA_NN_ATTENTION_H_
