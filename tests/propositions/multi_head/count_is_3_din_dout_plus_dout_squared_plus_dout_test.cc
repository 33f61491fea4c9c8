#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "autograd/random.h"
#include "gtest/gtest.h"
#include "nn/attention.h"
#include "tests/propositions/multi_head/multi_head.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The multi-head layer has 3 d_in d_out + d_out^2 + d_out parameters.",
     .source = "LM3-L3, self-check 3 and question 4",
     .exact = "to the integer"});

using Options = std::function<nn::MultiHeadAttentionOptions(const LayerCase&)>;

int64_t Count(const nn::MultiHeadAttentionOptions& options) {
  Generator generator(0);
  return nn::MultiHeadAttention(options, generator).NumParameters();
}

std::vector<Measurement> CountIsTheFormula(const Options& options) {
  int64_t largest = 0;
  for (const LayerCase& c : LayerCases()) {
    const int64_t formula = 3 * c.in * c.out() + c.out() * c.out() + c.out();
    largest = std::max(largest, std::abs(Count(options(c)) - formula));
  }
  const LayerCase gpt2{.in = 768, .heads = 12, .head_width = 64};
  return {Exactly("parameters at the notebook's sizes, d_in = d_out = 8", Count(options({})), 264),
          Exactly("largest |count - formula|, random sizes", largest, 0),
          Exactly("parameters at d_in = d_out = 768, 12 heads of 64", Count(options(gpt2)),
                  3 * 589824 + 589824 + 768)};
}

TEST(Count, IsTheFormula) { ExpectHolds(CountIsTheFormula(CausalOptions)); }

TEST(Count, GoesRedWithBiasesOfQKV) {
  ExpectBroken(CountIsTheFormula([](const LayerCase& c) {
    nn::MultiHeadAttentionOptions options = CausalOptions(c);
    options.qkv_bias = true;
    return options;
  }));
}

TEST(Count, GoesRedWithoutTheBiasOfTheOutput) {
  ExpectBroken(CountIsTheFormula([](const LayerCase& c) {
    nn::MultiHeadAttentionOptions options = CausalOptions(c);
    options.out_bias = false;
    return options;
  }));
}

}  // namespace
}  // namespace lemma::propositions
