#include <cstdint>
#include <vector>

#include "autograd/create.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/config.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Of the 12 L d^2 entries of the blocks' matrices the MLPs hold two thirds and "
                  "attention one third: of the course's GPT 64.5 % and 32.2 % of all parameters. "
                  "The rule's remainder is 10 L d: biases and LayerNorms.",
     .source = "Step 5, 5.4, verification 1",
     .exact = "exact integers; shares to the printed digit"});

std::vector<Measurement> Shares(const models::Gpt& model) {
  int64_t attention = 0, mlps = 0, norms = 0, attention_matrices = 0, mlp_matrices = 0;
  for (size_t i = 0; i < model.blocks.size(); ++i) {
    const models::Block& block = model.blocks[i];
    attention += block.attn.NumParameters();
    mlps += block.mlp.NumParameters();
    norms += block.ln1.NumParameters() + block.ln2.NumParameters();
    attention_matrices += block.attn.qkv.weight.numel() + block.attn.proj.weight.numel();
    mlp_matrices += block.mlp.fc.weight.numel() + block.mlp.proj.weight.numel();
  }
  const int64_t d = model.config().width, layers = model.config().layers;
  const double percent = 100.0 / static_cast<double>(model.NumParameters());
  const double rule = 12.0 * static_cast<double>(layers * d * d);
  return {
      Between("share of the MLPs, %", 64.45, percent * static_cast<double>(mlps), 64.55),
      Between("share of attention, %", 32.15, percent * static_cast<double>(attention), 32.25),
      Exactly("matrices of the MLPs less twice those of attention",
              static_cast<double>(mlp_matrices - 2 * attention_matrices), 0),
      Exactly("matrices, by the rule 12 L d^2 = 786,432",
              static_cast<double>(mlp_matrices + attention_matrices), rule),
      Exactly("what the rule leaves out", static_cast<double>(attention + mlps + norms) - rule,
              10.0 * static_cast<double>(layers * d)),
  };
}

TEST(Shares, AreTheseOfTheCoursesGpt) {
  Generator generator(0);
  ExpectHolds(Shares(models::Gpt(CourseConfig(), generator)));
}

TEST(Shares, GoRedWhenTheMlpWidensByTwoOnly) {
  Generator generator(0);
  models::Gpt model(CourseConfig(), generator);
  for (size_t i = 0; i < model.blocks.size(); ++i) {
    models::Mlp& mlp = model.blocks[i].mlp;
    mlp.fc.weight = Zeros({256, 128});
    mlp.fc.bias = Zeros({256});
    mlp.proj.weight = Zeros({128, 256});
  }
  ExpectBroken(Shares(model));
}

}  // namespace
}  // namespace lemma::propositions
