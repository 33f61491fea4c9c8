#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/config.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "A GPT with the course's biases has (V + T) d + L (12 d^2 + 10 d) + 2 d + V d "
                  "parameters, whatever H is; each choice of tying and biases changes it by its "
                  "own term.",
     .source = "Step 5, 5.4, verification 1; Lecture 5, Theorem 5.1",
     .exact = "exact integers, of 300 random configurations"});

constexpr uint64_t kSeed = 51;

// The sum by hand, not by the library's ParameterFormula.
int64_t CountByHand(const models::GptConfig& c) {
  const int64_t d = c.width;
  int64_t count = (c.vocab + c.context) * d + c.layers * (12 * d * d + 10 * d) + 2 * d;
  if (!c.tied_head) count += c.vocab * d;
  if (c.head_bias) count += c.vocab;
  if (c.qkv_bias) count += c.layers * 3 * d;
  if (!c.bias) count -= c.layers * 6 * d;
  if (!c.norm_bias) count -= (2 * c.layers + 1) * d;
  return count;
}

// Builds models with `built` of a configuration and counts with the configuration itself.
std::vector<Measurement> ConfigsThatDisagree(models::GptConfig (*built)(models::GptConfig)) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  int by_hand = 0, by_library = 0;
  int64_t largest = 0;
  for (int i = 0; i < 300; ++i) {
    const models::GptConfig config = RandomConfig(generator);
    const int64_t count = models::Gpt(built(config), generator).NumParameters();
    by_hand += count != CountByHand(config);
    by_library += count != models::ParameterFormula(config);
    largest = std::max(largest, count);
  }
  return {Exactly("configurations of 300 that the formula miscounts", by_hand, 0),
          Exactly("that ParameterFormula miscounts", by_library, 0),
          AtLeast("largest count", static_cast<double>(largest), 20000)};
}

TEST(Formula, CountsEveryConfiguration) {
  ExpectHolds(ConfigsThatDisagree([](models::GptConfig config) { return config; }));
}

TEST(Formula, GoesRedWhereOneBiasIsForgotten) {
  ExpectBroken(ConfigsThatDisagree([](models::GptConfig config) {
    config.qkv_bias = !config.qkv_bias;
    return config;
  }));
}

TEST(Formula, GoesRedWhereOnePositionIsForgotten) {
  ExpectBroken(ConfigsThatDisagree([](models::GptConfig config) {
    --config.context;
    return config;
  }));
}

}  // namespace
}  // namespace lemma::propositions
