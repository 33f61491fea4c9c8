#include "models/gpt/gpt.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autograd/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/linear_cross_entropy.h"
#include "autograd/ops/views.h"
#include "autograd/recompute.h"
#include "nn/init.h"

namespace lemma::models {

Mlp::Mlp(const GptConfig& config, Generator& generator)
    : fc({config.width, 4 * config.width, config.bias, config.compute_dtype}, generator),
      proj({4 * config.width, config.width, config.bias, config.compute_dtype}, generator),
      gelu_tanh_(config.gelu_tanh) {
  Register("fc", fc);
  Register("proj", proj);
}

Tensor Mlp::Forward(Tensor x) {
  return proj(Gelu(fc(std::move(x)), gelu_tanh_ ? GeluForm::kTanh : GeluForm::kExact));
}

Block::Block(const GptConfig& config, Generator& generator, Generator* dropout_generator)
    : ln1({.width = config.width, .bias = config.norm_bias}),
      attn({.width = config.width,
            .heads = config.heads,
            .qkv_bias = config.qkv_bias,
            .proj_bias = config.bias,
            .dropout = config.dropout,
            .dropout_generator = dropout_generator,
            .compute_dtype = config.compute_dtype},
           generator),
      ln2({.width = config.width, .bias = config.norm_bias}),
      mlp(config, generator),
      dropout(config.dropout, dropout_generator) {
  Register("ln1", ln1);
  Register("attn", attn);
  Register("ln2", ln2);
  Register("mlp", mlp);
  Register("dropout", dropout);
}

Tensor Block::Forward(Tensor x, nn::KvCache* cache) {
  Tensor attended = dropout(attn(ln1(x), cache));
  x = std::move(x) + std::move(attended);
  Tensor computed = dropout(mlp(ln2(x)));
  return std::move(x) + std::move(computed);
}

namespace {

const GptConfig& Valid(const GptConfig& config) {
  if (absl::Status valid = config.Validate(); !valid.ok()) Fail("Gpt", "config: ", valid.message());
  return config;
}

}  // namespace

GptCache::GptCache(const GptConfig& config)
    : layers_(Valid(config).layers, nn::KvCache(config.context)) {}

void GptCache::Clear() {
  for (nn::KvCache& layer : layers_) layer.Clear();
}

Gpt::Gpt(const GptConfig& config, Generator& generator, Generator* dropout_generator)
    : tok({Valid(config).vocab, config.width}, generator),
      pos({config.context, config.width}, generator),
      dropout(config.dropout, dropout_generator),
      lnf({.width = config.width, .bias = config.norm_bias}),
      head({.in = config.width,
            .out = config.vocab,
            .bias = config.head_bias,
            .compute_dtype = config.compute_dtype,
            .round_result = false}),
      config_(config) {
  Register("tok", tok);
  Register("pos", pos);
  Register("dropout", dropout);
  for (int64_t i = 0; i < config.layers; ++i) {
    Register(absl::StrCat("blocks.", i), blocks.Add(config, generator, dropout_generator));
  }
  Register("lnf", lnf);
  Register("head", head);
  if (config.tied_head) {
    head.weight = tok.weight;
  } else {
    nn::init::LinearUniform(head.weight, config.width, generator);
  }
  if (config.head_bias) nn::init::LinearUniform(head.bias, config.width, generator);
  if (config.init == GptInit::kGpt2) InitAsGpt2(generator);
  const double residual_std = 0.02 / std::sqrt(2.0 * static_cast<double>(config.layers));
  for (size_t i = 0; i < blocks.size(); ++i) {
    nn::init::Normal(blocks[i].attn.proj.weight, generator, 0, residual_std);
    nn::init::Normal(blocks[i].mlp.proj.weight, generator, 0, residual_std);
  }
}

void Gpt::InitAsGpt2(Generator& generator) {
  ForEach([&](const std::string&, nn::Module& module) {
    if (auto* linear = dynamic_cast<nn::Linear*>(&module)) {
      if (!linear->weight.IsSameAs(tok.weight))
        nn::init::Normal(linear->weight, generator, 0, 0.02);
      if (linear->bias.defined()) nn::init::Zeros(linear->bias);
    } else if (auto* embedding = dynamic_cast<nn::Embedding*>(&module)) {
      nn::init::Normal(embedding->weight, generator, 0, 0.02);
    }
  });
}

namespace {

Tensor RunAgainInBackward(Block& block, Tensor x) {
  const auto run = [&block](const TensorList& in) { return TensorList{block(in[0])}; };
  return std::move(Recompute(run, {std::move(x)})[0]);
}

}  // namespace

Tensor Gpt::Hidden(Tensor tokens, GptCache* cache) {
  if (tokens.rank() != 2) {
    Fail(type(), "tokens: they must be (B, T); they are ", tokens.shape().ToString());
  }
  if (cache != nullptr) CheckCache(*cache);
  const int64_t seen = cache == nullptr ? 0 : cache->length();
  const int64_t t = tokens.size(1);
  if (seen + t > config_.context) {
    Fail(type(), "tokens: the context is ", config_.context, " positions; ", seen,
         " are in the cache and ", t, " were given");
  }
  Tensor x = tok(std::move(tokens)) + Slice(pos.weight, 0, seen, seen + t);
  x = dropout(std::move(x));
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (config_.recompute && cache == nullptr && IsGradEnabled()) {
      x = RunAgainInBackward(blocks[i], std::move(x));
    } else {
      x = blocks[i](std::move(x), cache == nullptr ? nullptr : &cache->layer(i));
    }
  }
  return lnf(std::move(x));
}

void Gpt::CheckCache(const GptCache& cache) const {
  const auto layers = static_cast<int64_t>(blocks.size());
  if (cache.layers() == layers && cache.capacity() == config_.context) return;
  Fail(type(), "cache: it must be of ", layers, " layers with room for ", config_.context,
       " positions, as the model; it is of ", cache.layers(), " with room for ", cache.capacity());
}

Tensor Gpt::Forward(Tensor tokens, GptCache* cache) {
  return head(Hidden(std::move(tokens), cache));
}

Tensor Gpt::Loss(const Tensor& tokens, const Tensor& targets) {
  if (targets.shape() != tokens.shape()) {
    Fail(type(), "targets: they must be ", tokens.shape().ToString(), " as the tokens; they are ",
         targets.shape().ToString());
  }
  const int64_t rows = targets.numel();
  Tensor hidden = Reshape(Hidden(tokens), {rows, config_.width});
  const Tensor labels = Reshape(targets, {rows});
  if (head.bias.defined()) return CrossEntropy(head(std::move(hidden)), labels);
  return LinearCrossEntropy(std::move(hidden), head.weight, labels, {}, config_.compute_dtype);
}

}  // namespace lemma::models
