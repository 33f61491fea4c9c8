#include "tests/propositions/gpt/assembly.h"

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "autograd/create.h"
#include "autograd/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/views.h"

namespace lemma::propositions {

models::GptConfig CourseConfig() { return *models::GptConfig::Preset("course"); }

int64_t RandomInteger(int64_t low, int64_t high, Generator& generator) {
  int64_t value;
  generator.RandInt(absl::MakeSpan(&value, 1), low, high + 1);
  return value;
}

models::GptConfig RandomConfig(Generator& generator) {
  const auto coin = [&] { return RandomInteger(0, 1, generator) == 1; };
  models::GptConfig config;
  config.vocab = RandomInteger(3, 70, generator);
  config.context = RandomInteger(4, 24, generator);
  config.heads = RandomInteger(1, 4, generator);
  config.width = config.heads * RandomInteger(2, 8, generator);
  config.layers = RandomInteger(1, 3, generator);
  config.tied_head = coin();
  config.head_bias = coin();
  config.qkv_bias = coin();
  config.bias = coin();
  config.norm_bias = coin();
  LEMMA_CHECK(config.Validate().ok());
  return config;
}

Tensor RandomTokens(const models::GptConfig& config, int64_t rows, int64_t length,
                    Generator& generator) {
  return RandInt(0, config.vocab, {rows, length}, generator);
}

BlockFunction AsBuilt() {
  return [](models::Block& block, const Tensor& x) { return block(x); };
}

BlockFunction WithAttention(AttentionFunction attention) {
  return [attention = std::move(attention)](models::Block& block, const Tensor& x) {
    const Tensor y = x + attention(block.attn, block.ln1(x));
    return y + block.mlp(block.ln2(y));
  };
}

BlockFunction Unmasked(int64_t heads) {
  return WithAttention([heads](nn::CausalSelfAttention& attention, const Tensor& x) {
    return attention.proj(PackedAttention(attention.qkv(x), heads, {.causal = false}));
  });
}

BlockFunction MaskedOneLate(int64_t heads) {
  return WithAttention([heads](nn::CausalSelfAttention& attention, const Tensor& x) {
    const int64_t b = x.size(0), t = x.size(1), c = x.size(2);
    const auto part = [&, packed = attention.qkv(x)](int64_t index) {  // (B, H, T, D)
      return Transpose(Reshape(Slice(packed, 2, index * c, (index + 1) * c), {b, t, heads, -1}), 1,
                       2);
    };
    const Tensor mask = Cast(Tril(Ones({t, t}), 1), DType::kBool);
    const Tensor out = ScaledDotProductAttention(part(0), part(1), part(2), {.mask = mask});
    return attention.proj(Reshape(Transpose(out, 1, 2), {b, t, c}));
  });
}

Tensor AssembleStream(models::Gpt& model, const Tensor& tokens, const BlockFunction& block) {
  Tensor x = model.tok(tokens) + Slice(model.pos.weight, 0, 0, tokens.size(1));
  for (size_t i = 0; i < model.blocks.size(); ++i) x = block(model.blocks[i], x);
  return x;
}

Tensor Assemble(models::Gpt& model, const Tensor& tokens, const BlockFunction& block) {
  return model.head(model.lnf(AssembleStream(model, tokens, block)));
}

}  // namespace lemma::propositions
