// GPT: a decoder-only transformer over tokens, pre-norm. Radford et al. (2019).
//
//   Generator generator(1337);
//   Gpt model(*GptConfig::Preset("course"), generator);
//   Tensor loss = model.Loss(tokens, targets);      // scalar, nats per token
//   Backward(loss);
//
//   x = tok(tokens) + pos            (B, T, C)  the residual stream
//   x = x + attn(ln1(x))             in each block: positions exchange what they know
//   x = x + mlp(ln2(x))              in each block: each position by itself
//   logits = head(lnf(x))            (B, T, V)
#ifndef LEMMA_MODELS_GPT_GPT_H_
#define LEMMA_MODELS_GPT_GPT_H_

#include <cstdint>
#include <vector>

#include "autograd/random.h"
#include "autograd/tensor.h"
#include "models/gpt/config.h"
#include "nn/attention.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/kv_cache.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/module.h"
#include "nn/sequential.h"

namespace lemma::models {

// x (B, T, C) -> (B, T, C): C to 4C, GELU, back to C.
class Mlp : public nn::Layer<Mlp> {
 public:
  Mlp(const GptConfig& config, Generator& generator);
  const char* type() const override { return "Mlp"; }
  Tensor Forward(Tensor x);

  nn::Linear fc;    // weight (4C, C)
  nn::Linear proj;  // weight (C, 4C)

 private:
  const bool gelu_tanh_;
};

// x (B, T, C) -> (B, T, C): each half reads a normalised copy of the stream and adds to it.
class Block : public nn::Layer<Block> {
 public:
  Block(const GptConfig& config, Generator& generator, Generator* dropout_generator);
  const char* type() const override { return "Block"; }
  Tensor Forward(Tensor x, nn::KvCache* cache = nullptr);

  nn::LayerNorm ln1;
  nn::CausalSelfAttention attn;
  nn::LayerNorm ln2;
  Mlp mlp;
  nn::Dropout dropout;  // of what each half adds
};

// The keys and values that all layers of a model of this config have seen.
class GptCache {
 public:
  explicit GptCache(const GptConfig& config);
  int64_t layers() const { return static_cast<int64_t>(layers_.size()); }
  int64_t length() const { return layers_[0].length(); }
  int64_t capacity() const { return layers_[0].capacity(); }
  void Clear();
  nn::KvCache& layer(int64_t i) { return layers_[i]; }

 private:
  std::vector<nn::KvCache> layers_;
};

class Gpt : public nn::Layer<Gpt> {
 public:
  // Draws initial values from `generator` in the course's order. `dropout_generator` is needed
  // where config.dropout > 0 and must outlive the model. A config that is not valid is an error.
  Gpt(const GptConfig& config, Generator& generator, Generator* dropout_generator = nullptr);

  const char* type() const override { return "Gpt"; }
  const GptConfig& config() const { return config_; }

  // tokens int64 (B, T), T <= context -> (B, T, C): the stream after the last LayerNorm. With a
  // cache (under NoGrad) the tokens come after those that it has seen, and all together may not
  // exceed the context.
  Tensor Hidden(Tensor tokens, GptCache* cache = nullptr);
  // The logits (B, T, V).
  Tensor Forward(Tensor tokens, GptCache* cache = nullptr);
  // Mean cross entropy of targets int64 (B, T), in nats per token; no (B T, V) array is kept.
  Tensor Loss(const Tensor& tokens, const Tensor& targets);
  // Throws where the cache has other layers than the model, or room for another context.
  void CheckCache(const GptCache& cache) const;

  nn::Embedding tok;  // (V, C)
  nn::Embedding pos;  // (T, C)
  nn::Dropout dropout;
  nn::ModuleList<Block> blocks;
  nn::LayerNorm lnf;
  nn::Linear head;  // weight (V, C): that of tok where tied

 private:
  void InitAsGpt2(Generator& generator);

  const GptConfig config_;
};

}  // namespace lemma::models

#endif  // LEMMA_MODELS_GPT_GPT_H_
