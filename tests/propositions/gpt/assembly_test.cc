#include "tests/propositions/gpt/assembly.h"

#include "gtest/gtest.h"
#include "tests/propositions/measure.h"

namespace lemma::propositions {
namespace {

TEST(Assembly, AsBuiltIsTheModelToTheBit) {
  Generator generator(5);
  for (int i = 0; i < 10; ++i) {
    const models::GptConfig config = RandomConfig(generator);
    models::Gpt model(config, generator);
    const Tensor tokens = RandomTokens(config, 2, config.context, generator);
    const NoGrad no_grad;
    const Tensor logits = model(tokens);
    EXPECT_EQ(CountDifferentBits(Assemble(model, tokens, AsBuilt()), logits), 0);
    // A block of the same parts, with the model's own attention, is the same block.
    const BlockFunction parts = WithAttention(
        [](nn::CausalSelfAttention& attention, const Tensor& x) { return attention(x); });
    EXPECT_EQ(CountDifferentBits(Assemble(model, tokens, parts), logits), 0);
    EXPECT_NE(CountDifferentBits(Assemble(model, tokens, Unmasked(config.heads)), logits), 0);
    EXPECT_NE(CountDifferentBits(Assemble(model, tokens, MaskedOneLate(config.heads)), logits), 0);
  }
}

}  // namespace
}  // namespace lemma::propositions
