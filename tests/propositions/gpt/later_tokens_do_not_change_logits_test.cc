#include <algorithm>
#include <functional>
#include <iostream>
#include <limits>
#include <vector>

#include "autograd/ops/in_place.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/gpt/course_text.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Causality survives assembly: another token at position t leaves the GPT's "
                  "logits at 0, ..., t - 1 as they were and changes those at t and after.",
     .source = "Step 5, 5.4, verification 2; Lecture 4, Proposition 5.1",
     .exact = "bitwise, for the course's GPT and 40 random ones"});

constexpr uint64_t kSeed = 20;

using LogitsFunction = std::function<Tensor(models::Gpt& model, const Tensor& tokens)>;

struct Effect {
  int64_t bits_before = 0;     // elements before t whose bits change
  int64_t rows_unchanged = 0;  // positions from t on of which no element changes
  double least_change = std::numeric_limits<double>::infinity();  // of a row from t on
};

// Adds the effect of another token at position t of every row of tokens (B, T).
void AddEffect(const LogitsFunction& f, models::Gpt& model, const Tensor& tokens, int64_t t,
               Effect& effect) {
  const NoGrad no_grad;
  Tensor changed = Clone(tokens);
  for (int64_t b = 0; b < tokens.size(0); ++b) {
    Tensor place = Slice(Select(changed, 0, b), 0, t, t + 1);
    Fill(place, static_cast<int64_t>(place.Item() + 7) % model.config().vocab);
  }
  const Tensor before = f(model, tokens), after = f(model, changed);  // (B, T, V)
  effect.bits_before += CountDifferentBits(Slice(before, 1, 0, t), Slice(after, 1, 0, t));
  for (int64_t i = t; i < tokens.size(1); ++i) {
    for (int64_t b = 0; b < tokens.size(0); ++b) {
      const double change =
          LargestDifference(Select(Select(before, 0, b), 0, i), Select(Select(after, 0, b), 0, i));
      effect.rows_unchanged += change == 0;
      effect.least_change = std::min(effect.least_change, change);
    }
  }
}

std::vector<Measurement> Measure(const Effect& effect) {
  return {Exactly("elements before t with other bits", static_cast<double>(effect.bits_before), 0),
          Exactly("rows from t on without a change", static_cast<double>(effect.rows_unchanged), 0),
          AtLeast("smallest change of a row from t on", effect.least_change, 1e-7)};
}

// The course's test: 32 characters of text, another one at 20.
std::vector<Measurement> OfTheCoursesGpt(const LogitsFunction& f) {
  Generator generator(1337);
  models::Gpt model(CourseConfig(), generator);
  Effect effect;
  AddEffect(f, model, Slice(FirstBatch().tokens, 1, 0, 32), 20, effect);
  return Measure(effect);
}

std::vector<Measurement> OfRandomGpts(const LogitsFunction& f) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  Effect effect;
  for (int i = 0; i < 40; ++i) {
    models::GptConfig config = RandomConfig(generator);
    config.vocab = std::max<int64_t>(config.vocab, 8);
    models::Gpt model(config, generator);
    const int64_t length = RandomInteger(2, config.context, generator);
    const Tensor tokens = RandomTokens(config, RandomInteger(1, 3, generator), length, generator);
    AddEffect(f, model, tokens, RandomInteger(1, length - 1, generator), effect);
  }
  return Measure(effect);
}

Tensor Model(models::Gpt& model, const Tensor& tokens) { return model(tokens); }

TEST(Causality, OfTheCoursesGptHolds) { ExpectHolds(OfTheCoursesGpt(Model)); }
TEST(Causality, OfRandomGptsHolds) { ExpectHolds(OfRandomGpts(Model)); }

TEST(Causality, GoesRedWithoutTheMask) {
  const auto unmasked = [](models::Gpt& model, const Tensor& tokens) {
    return Assemble(model, tokens, Unmasked(model.config().heads));
  };
  ExpectBroken(OfTheCoursesGpt(unmasked));
  ExpectBroken(OfRandomGpts(unmasked));
}

TEST(Causality, GoesRedWithAMaskThatIsOneLate) {
  const auto late = [](models::Gpt& model, const Tensor& tokens) {
    return Assemble(model, tokens, MaskedOneLate(model.config().heads));
  };
  ExpectBroken(OfTheCoursesGpt(late));
  ExpectBroken(OfRandomGpts(late));
}

}  // namespace
}  // namespace lemma::propositions
