#include <algorithm>
#include <functional>
#include <iostream>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/generate.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Generation crops to the last T tokens: with a text longer than the context the "
                  "next token's logits depend on the last T tokens and on nothing before, and the "
                  "drawn text is that of the course's loop.",
     .source = "Step 5, 5.1-5.3, `generate`",
     .exact = "tokens before the last T change no bit, each of the last T changes some; the logits "
              "are those of the last T tokens up to rounding, and the text is the same "
              "token by token"});

constexpr uint64_t kSeed = 25;

models::GptConfig SmallConfig() {
  return {.vocab = 31, .context = 8, .width = 24, .heads = 3, .layers = 2};
}

using TokenList = std::vector<int64_t>;

// The logits (V) of the token after `text`.
using NextLogits = std::function<Tensor(models::Gpt& model, const TokenList& text)>;

Tensor Cropped(models::Gpt& model, const TokenList& text, int64_t length) {
  const int64_t n = static_cast<int64_t>(text.size()), t = std::min(n, length);
  const Tensor window = FromVector(TokenList(text.end() - t, text.end()), {1, t});
  return Select(Select(model(window), 0, 0), 0, t - 1);
}

NextLogits Generated(models::Window window) {
  return [window](models::Gpt& model, const TokenList& text) {
    Generator unused(0);
    models::GptGenerator generated(model, {.window = window}, &unused);
    generated.Append(text);
    return generated.NextLogits();
  };
}

// The course's loop: crop, softmax, draw.
TokenList CoursesLoop(models::Gpt& model, TokenList text, int n, Generator& generator) {
  for (int i = 0; i < n; ++i) {
    const Tensor logits = Cropped(model, text, model.config().context);
    text.push_back(generator.Multinomial(Softmax(logits, 0).ToVector<float>()));
  }
  return text;
}

TokenList Sampled(models::Gpt& model, const TokenList& prompt, int n, models::Window window,
                  Generator& generator) {
  models::GptGenerator text(model, {.window = window}, &generator);
  text.Append(prompt);
  for (int i = 0; i < n; ++i) text.Next();
  return text.tokens();
}

std::vector<Measurement> SeesTheLastContext(const NextLogits& next, models::Window window) {
  std::cout << "seed " << kSeed << '\n';
  const NoGrad no_grad;
  Generator generator(kSeed);
  models::Gpt model(SmallConfig(), generator);
  const int64_t context = model.config().context, vocab = model.config().vocab;
  int64_t bits_from_before = 0;
  int unseen = 0;
  double distance = 0;
  for (int64_t length = context + 1; length <= 3 * context; ++length) {
    const TokenList text = RandomTokens(model.config(), 1, length, generator).ToVector<int64_t>();
    const Tensor logits = next(model, text);
    distance = LargerOf(distance, LargestDifference(logits, Cropped(model, text, context)));
    for (int64_t i = 0; i < length; ++i) {
      TokenList changed = text;
      changed[i] = (changed[i] + 1) % vocab;
      const int64_t bits = CountDifferentBits(next(model, changed), logits);
      if (i < length - context) {
        bits_from_before += bits;
      } else {
        unseen += bits == 0;
      }
    }
  }
  Generator draws(1), same_draws(1);
  const TokenList sampled = Sampled(model, {0}, 100, window, draws);
  const TokenList expected = CoursesLoop(model, {0}, 100, same_draws);
  int other_tokens = 0;
  for (size_t i = 0; i < expected.size(); ++i) other_tokens += sampled[i] != expected[i];
  return {Exactly("elements that tokens before the last T change",
                  static_cast<double>(bits_from_before), 0),
          Exactly("tokens among the last T without an effect", unseen, 0),
          AtMost("largest distance from the logits of the last T tokens", distance, 1e-6),
          Exactly("of 100 drawn tokens, others than the course's loop draws", other_tokens, 0)};
}

TEST(Generation, SeesTheLastContext) {
  ExpectHolds(SeesTheLastContext(Generated(models::Window::kCrop), models::Window::kCrop));
}

// The faster rule starts anew from the last T/2 tokens: another function.
TEST(Generation, GoesRedWithTheHalvedWindow) {
  ExpectBroken(SeesTheLastContext(Generated(models::Window::kHalf), models::Window::kHalf));
}

TEST(Generation, GoesRedWithAWindowThatIsOneShort) {
  const auto one_short = [](models::Gpt& model, const TokenList& text) {
    return Cropped(model, text, model.config().context - 1);
  };
  ExpectBroken(SeesTheLastContext(one_short, models::Window::kCrop));
}

}  // namespace
}  // namespace lemma::propositions
