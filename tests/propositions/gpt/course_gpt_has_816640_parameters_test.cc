#include <string>
#include <vector>

#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "The course's GPT (V = 65, T = 64, d = 128, H = 4, L = 4) has 816,640 parameters.",
     .source = "Step 5, 5.4, verification 1; Lecture 5, Theorem 5.1",
     .exact = "an exact integer, and so is each part's"});

std::vector<Measurement> CountOf(const models::Gpt& model) {
  int64_t attention = 0, mlps = 0, norms = 0;
  for (size_t i = 0; i < model.blocks.size(); ++i) {
    const models::Block& block = model.blocks[i];
    attention += block.attn.NumParameters();
    mlps += block.mlp.NumParameters();
    norms += block.ln1.NumParameters() + block.ln2.NumParameters();
  }
  const auto exactly = [](const std::string& part, int64_t count, int64_t expected) {
    return Exactly(part, static_cast<double>(count), static_cast<double>(expected));
  };
  const int64_t embeddings = model.tok.NumParameters() + model.pos.NumParameters();
  const int64_t ends = model.lnf.NumParameters() + model.head.NumParameters();
  return {exactly("embeddings", embeddings, (65 + 64) * 128),
          exactly("attention", attention, 4 * (3 * 128 * 128 + 128 * 128 + 128)),
          exactly("MLPs", mlps, 4 * (128 * 512 + 512 + 512 * 128 + 128)),
          exactly("LayerNorms of the blocks", norms, 4 * 2 * (128 + 128)),
          exactly("final LayerNorm and unembedding", ends, 128 + 128 + 65 * 128),
          exactly("total", model.NumParameters(), 816640)};
}

TEST(CourseGpt, HasThisManyParameters) {
  Generator generator(1337);
  ExpectHolds(CountOf(models::Gpt(CourseConfig(), generator)));
}

TEST(CourseGpt, GoesRedWithATiedHead) {
  models::GptConfig config = CourseConfig();
  config.tied_head = true;
  Generator generator(1337);
  ExpectBroken(CountOf(models::Gpt(config, generator)));
}

TEST(CourseGpt, GoesRedWithBiasesOfQueriesKeysAndValues) {
  models::GptConfig config = CourseConfig();
  config.qkv_bias = true;
  Generator generator(1337);
  ExpectBroken(CountOf(models::Gpt(config, generator)));
}

}  // namespace
}  // namespace lemma::propositions
