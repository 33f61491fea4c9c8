#include <algorithm>
#include <functional>
#include <iostream>
#include <limits>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
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
    {.statement = "Causality of the GPT as a derivative: d logits_t / d p_j = 0 for j > t, and not "
                  "0 for j <= t, where p_j is what position j adds to the stream.",
     .source = "Step 5, 5.4, verification 2; Step 4, 4.2",
     .exact = "the zeros are exact, for every t"});

constexpr uint64_t kSeed = 21;

using LogitsFunction = std::function<Tensor(models::Gpt& model, const Tensor& tokens)>;

struct Reach {
  int64_t later_entries = 0;  // entries of a gradient at j > t that are not 0
  double least_norm = std::numeric_limits<double>::infinity();  // of a gradient at j <= t
};

// Differentiates a random functional of the logits (1, T, V) at each t by the rows of pos.weight.
void AddReach(const LogitsFunction& f, models::Gpt& model, const Tensor& tokens,
              Generator& generator, Reach& reach) {
  const Tensor logits = f(model, tokens);
  const int64_t length = tokens.size(1);
  for (int64_t t = 0; t < length; ++t) {
    const Tensor row = Select(Select(logits, 0, 0), 0, t);  // (V)
    const Tensor functional = Sum(row * RandN(row.shape(), generator));
    const Tensor dpos = Grad({functional}, {model.pos.weight}, {.retain_graph = true})[0];
    for (double entry : Doubles(Slice(dpos, 0, t + 1, length))) reach.later_entries += entry != 0;
    for (int64_t j = 0; j <= t; ++j) {
      reach.least_norm = std::min(reach.least_norm, EuclideanNorm(Select(dpos, 0, j)));
    }
  }
}

std::vector<Measurement> Measure(const Reach& reach) {
  return {Exactly("entries that are not 0 for j > t", static_cast<double>(reach.later_entries), 0),
          AtLeast("smallest norm for j <= t", reach.least_norm, 1e-8)};
}

std::vector<Measurement> OfTheCoursesGpt(const LogitsFunction& f) {
  Generator generator(1337);
  models::Gpt model(CourseConfig(), generator);
  Reach reach;
  AddReach(f, model, Slice(FirstBatch().tokens, 1, 0, 32), generator, reach);
  return Measure(reach);
}

std::vector<Measurement> OfRandomGpts(const LogitsFunction& f) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  Reach reach;
  for (int i = 0; i < 20; ++i) {
    const models::GptConfig config = RandomConfig(generator);
    models::Gpt model(config, generator);
    const int64_t length = RandomInteger(2, config.context, generator);
    AddReach(f, model, RandomTokens(config, 1, length, generator), generator, reach);
  }
  return Measure(reach);
}

Tensor Model(models::Gpt& model, const Tensor& tokens) { return model(tokens); }

TEST(GradientCausality, OfTheCoursesGptHolds) { ExpectHolds(OfTheCoursesGpt(Model)); }
TEST(GradientCausality, OfRandomGptsHolds) { ExpectHolds(OfRandomGpts(Model)); }

TEST(GradientCausality, GoesRedWithoutTheMask) {
  const auto unmasked = [](models::Gpt& model, const Tensor& tokens) {
    return Assemble(model, tokens, Unmasked(model.config().heads));
  };
  ExpectBroken(OfTheCoursesGpt(unmasked));
  ExpectBroken(OfRandomGpts(unmasked));
}

// Without attention nothing comes from earlier positions either.
TEST(GradientCausality, GoesRedWithoutAttention) {
  ExpectBroken(OfTheCoursesGpt([](models::Gpt& model, const Tensor& tokens) {
    return Assemble(model, tokens, WithAttention([](nn::CausalSelfAttention&, const Tensor& x) {
                      return ZerosLike(x);
                    }));
  }));
}

}  // namespace
}  // namespace lemma::propositions
