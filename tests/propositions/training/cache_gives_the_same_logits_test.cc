#include <algorithm>
#include <functional>
#include <iostream>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/join.h"
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
    {.statement =
         "A cache of keys and values changes nothing: logits computed one token at a time, "
         "or in pieces, are those of the whole text at once.",
     .source = "what the course's next steps state",
     .exact = "up to rounding, 1e-5 of the largest logit: a product of one row may add in another "
              "order than one of many"});

constexpr uint64_t kSeed = 62;

// The logits (B, t, V) of tokens (B, t) that come after those in the cache.
using Step = std::function<Tensor(models::Gpt& model, const Tensor& tokens, models::GptCache&)>;

// The largest distance from the whole text's logits, relative to the largest of these.
double Distance(const Step& step, models::Gpt& model, const Tensor& tokens, int64_t piece) {
  const NoGrad no_grad;
  const Tensor whole = model(tokens);
  models::GptCache cache(model.config());
  std::vector<Tensor> pieces;
  for (int64_t t = 0; t < tokens.size(1); t += piece) {
    const int64_t end = std::min(t + piece, tokens.size(1));
    pieces.push_back(step(model, Slice(tokens, 1, t, end), cache));
  }
  return LargestDifference(Concat(pieces, 1), whole) / LargestMagnitude(whole);
}

std::vector<Measurement> Agrees(const Step& step) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  models::Gpt course(CourseConfig(), generator);
  const Tensor text = FirstBatch().tokens;
  double random = 0;
  for (int i = 0; i < 20; ++i) {
    const models::GptConfig config = RandomConfig(generator);
    models::Gpt model(config, generator);
    const Tensor tokens = RandomTokens(config, 2, config.context, generator);
    const int64_t piece = RandomInteger(1, config.context - 1, generator);
    random = LargerOf(random, Distance(step, model, tokens, piece));
  }
  return {AtMost("course GPT, one token at a time", Distance(step, course, text, 1), 1e-5),
          AtMost("in pieces of 7", Distance(step, course, text, 7), 1e-5),
          AtMost("20 random GPTs, pieces of any length", random, 1e-5)};
}

TEST(Cache, GivesTheSameLogits) {
  ExpectHolds(Agrees([](models::Gpt& model, const Tensor& tokens, models::GptCache& cache) {
    return model(tokens, &cache);
  }));
}

TEST(Cache, GoesRedWherePositionsStartAgain) {
  ExpectBroken(Agrees([](models::Gpt& model, const Tensor& tokens, models::GptCache& cache) {
    Tensor x = model.tok(tokens) + Slice(model.pos.weight, 0, 0, tokens.size(1));
    for (size_t i = 0; i < model.blocks.size(); ++i) x = model.blocks[i](x, &cache.layer(i));
    return model.head(model.lnf(x));
  }));
}

TEST(Cache, GoesRedWhereItIsForgotten) {
  ExpectBroken(Agrees([](models::Gpt& model, const Tensor& tokens, models::GptCache& cache) {
    const int64_t seen = cache.length();
    Tensor x = model.tok(tokens) + Slice(model.pos.weight, 0, seen, seen + tokens.size(1));
    for (size_t i = 0; i < model.blocks.size(); ++i) {
      x = i == 0 ? model.blocks[i](x, &cache.layer(i)) : model.blocks[i](x);
    }
    return model.head(model.lnf(x));
  }));
}

}  // namespace
}  // namespace lemma::propositions
