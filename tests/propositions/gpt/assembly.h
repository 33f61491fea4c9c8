// The GPT's forward written out, so that one part can be replaced: what a companion breaks.
//
//   Tensor logits = Assemble(model, tokens, Unmasked());     // a GPT that sees the future
//   Tensor same = Assemble(model, tokens, AsBuilt());        // model(tokens), bit for bit
#ifndef LEMMA_TESTS_PROPOSITIONS_GPT_ASSEMBLY_H_
#define LEMMA_TESTS_PROPOSITIONS_GPT_ASSEMBLY_H_

#include <cstdint>
#include <functional>

#include "autograd/random.h"
#include "autograd/tensor.h"
#include "models/gpt/config.h"
#include "models/gpt/gpt.h"
#include "nn/attention.h"

namespace lemma::propositions {

// The course's sizes with 65 characters.
models::GptConfig CourseConfig();

// Sizes at random: up to 4 heads of up to 8, 3 layers, a context of 4 to 24, 3 to 70 tokens, each
// bias with probability 1/2, tied or not.
models::GptConfig RandomConfig(Generator& generator);

// One of low, ..., high.
int64_t RandomInteger(int64_t low, int64_t high, Generator& generator);

// tokens int64 (B, T) below the config's vocab.
Tensor RandomTokens(const models::GptConfig& config, int64_t rows, int64_t length,
                    Generator& generator);

// x (B, T, C) -> (B, T, C) through one block's modules.
using BlockFunction = std::function<Tensor(models::Block& block, const Tensor& x)>;
using AttentionFunction =
    std::function<Tensor(nn::CausalSelfAttention& attention, const Tensor& x)>;

BlockFunction AsBuilt();
// A pre-norm block with another attention.
BlockFunction WithAttention(AttentionFunction attention);
// Attention without the mask, and with one that is off by one: position i sees i + 1.
BlockFunction Unmasked(int64_t heads);
BlockFunction MaskedOneLate(int64_t heads);

// The stream (B, T, C) after all blocks, from tokens (B, T).
Tensor AssembleStream(models::Gpt& model, const Tensor& tokens, const BlockFunction& block);
// The logits (B, T, V).
Tensor Assemble(models::Gpt& model, const Tensor& tokens, const BlockFunction& block);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_GPT_ASSEMBLY_H_
