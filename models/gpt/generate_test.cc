#include "models/gpt/generate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"

namespace lemma::models {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

// ---- One token

// Shares of 4,000 draws.
std::map<int64_t, double> Shares(const std::vector<float>& logits, const SamplingOptions& options) {
  constexpr int kDraws = 4000;
  Generator generator(5);
  std::map<int64_t, double> shares;
  for (int i = 0; i < kDraws; ++i) shares[SampleToken(logits, options, generator)] += 1.0 / kDraws;
  return shares;
}

// log of 0.5, 0.1, 0.3, 0.1, with a constant that softmax takes out again.
const std::vector<float> kLogits = {std::log(0.5f) + 3, std::log(0.1f) + 3, std::log(0.3f) + 3,
                                    std::log(0.1f) + 3};

// 4 standard deviations of a share of 4,000 draws are at most 0.032.
constexpr double kShareError = 0.032;

TEST(SampleToken, DrawsFromTheSoftmax) {
  const std::map<int64_t, double> shares = Shares(kLogits, {});
  EXPECT_NEAR(shares.at(0), 0.5, kShareError);
  EXPECT_NEAR(shares.at(1), 0.1, kShareError);
  EXPECT_NEAR(shares.at(2), 0.3, kShareError);
  EXPECT_NEAR(shares.at(3), 0.1, kShareError);
}

TEST(SampleToken, IsOneMultinomialDraw) {
  Generator generator(9), reference(9);
  const std::vector<float> probabilities = {0.5f, 0.1f, 0.3f, 0.1f};
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(SampleToken(kLogits, {}, generator), reference.Multinomial(probabilities));
  }
  EXPECT_EQ(generator.State(), reference.State());
}

TEST(SampleToken, TemperatureZeroTakesTheMostLikelyAndDrawsNothing) {
  Generator generator(9);
  const std::string before = generator.State();
  EXPECT_EQ(SampleToken(kLogits, {.temperature = 0}, generator), 0);
  EXPECT_EQ(SampleToken(std::vector<float>{1, 7, 7, 2}, {.temperature = 0}, generator), 1);
  EXPECT_EQ(generator.State(), before);
}

TEST(SampleToken, TemperatureSharpensAndFlattens) {
  // p^2 / sum p^2 and sqrt(p) / sum sqrt(p).
  EXPECT_NEAR(Shares(kLogits, {.temperature = 0.5}).at(0), 0.25 / 0.36, kShareError);
  const double roots = std::sqrt(0.5) + 2 * std::sqrt(0.1) + std::sqrt(0.3);
  EXPECT_NEAR(Shares(kLogits, {.temperature = 2}).at(0), std::sqrt(0.5) / roots, kShareError);
}

TEST(SampleToken, AnyTemperatureWillDo) {
  for (const double temperature : {1e-3, 1e-40, 1e-300, 5e-324}) {
    EXPECT_THAT(Shares(kLogits, {.temperature = temperature}),
                testing::ElementsAre(testing::Pair(0, testing::DoubleNear(1, 1e-9))));
  }
  const std::map<int64_t, double> equals =
      Shares({-3e38f, 3e38f, 3e38f, 0}, {.temperature = 1e-300});
  EXPECT_EQ(equals.size(), 2u);
  EXPECT_NEAR(equals.at(1), 0.5, kShareError);
  EXPECT_NEAR(Shares(kLogits, {.temperature = 1e300}).at(0), 0.25, kShareError);
}

TEST(SampleToken, LogitsThatAreNotFiniteAreNamed) {
  Generator generator(9);
  EXPECT_EQ(ErrorOf([&] {
              SampleToken(std::vector<float>{1, NAN}, {}, generator);
            }),
            "[sample] logits: each must be finite, but that of token 1 is nan; the model's "
            "parameters are too large, or not finite themselves");
  EXPECT_NE(ErrorOf([&] {
              SampleToken(std::vector<float>{INFINITY, 0}, {.temperature = 0}, generator);
            }).find("that of token 0 is inf"),
            std::string::npos);
}

TEST(SampleToken, TopKKeepsTheKMostLikely) {
  EXPECT_EQ(Shares(kLogits, {.top_k = 1}).size(), 1u);
  const std::map<int64_t, double> two = Shares(kLogits, {.top_k = 2});
  EXPECT_EQ(two.size(), 2u);
  EXPECT_NEAR(two.at(0), 0.5 / 0.8, kShareError);
  EXPECT_NEAR(two.at(2), 0.3 / 0.8, kShareError);
  // Of the equals 1 and 3 the first stays.
  EXPECT_THAT(Shares(kLogits, {.top_k = 3}),
              testing::UnorderedElementsAre(testing::Key(0), testing::Key(1), testing::Key(2)));
  EXPECT_EQ(Shares(kLogits, {.top_k = 4}), Shares(kLogits, {}));
  EXPECT_EQ(Shares(kLogits, {.top_k = 99}), Shares(kLogits, {}));
}

TEST(SampleToken, TopPKeepsTheFewestThatReachIt) {
  EXPECT_EQ(Shares(kLogits, {.top_p = 1e-9}).size(), 1u);
  EXPECT_EQ(Shares(kLogits, {.top_p = 0.49}).size(), 1u);
  const std::map<int64_t, double> two = Shares(kLogits, {.top_p = 0.79});
  EXPECT_EQ(two.size(), 2u);
  EXPECT_NEAR(two.at(0), 0.5 / 0.8, kShareError);
  EXPECT_EQ(Shares(kLogits, {.top_p = 0.85}).size(), 3u);
  EXPECT_EQ(Shares(kLogits, {.top_p = 0.95}).size(), 4u);
}

TEST(SampleToken, TopPCountsWhatTopKLeft) {
  // 0.5 / 0.8 and 0.3 / 0.8 are left of k = 2; the first alone reaches 0.6.
  EXPECT_EQ(Shares(kLogits, {.top_k = 2, .top_p = 0.6}).size(), 1u);
  EXPECT_EQ(Shares(kLogits, {.top_k = 2, .top_p = 0.64}).size(), 2u);
}

TEST(SampleToken, NonsenseIsNamed) {
  Generator generator(9);
  const auto error = [&](const SamplingOptions& options) {
    return ErrorOf([&] { SampleToken(kLogits, options, generator); });
  };
  EXPECT_EQ(error({.temperature = -1}),
            "[sample] temperature: it must be 0 or a positive number; it is -1");
  EXPECT_EQ(error({.temperature = INFINITY}),
            "[sample] temperature: it must be 0 or a positive number; it is inf");
  EXPECT_EQ(error({.top_k = -2}), "[sample] top_k: it can't be negative; it is -2");
  EXPECT_EQ(error({.top_p = 0}), "[sample] top_p: it must be in (0, 1]; it is 0");
  EXPECT_EQ(error({.top_p = 1.5}), "[sample] top_p: it must be in (0, 1]; it is 1.5");
}

// ---- Texts

const GptConfig kSmall = {.vocab = 11, .context = 6, .width = 12, .heads = 3, .layers = 2};

class Texts : public testing::Test {
 protected:
  // The logits after tokens [begin, end) of a text, computed in one go.
  std::vector<float> Uncached(const std::vector<int64_t>& tokens, size_t begin) {
    NoGrad no_grad;
    const std::vector<int64_t> window(tokens.begin() + begin, tokens.end());
    const int64_t t = static_cast<int64_t>(window.size());
    return Select(model_(FromVector(window, {1, t})), 1, t - 1).ToVector<float>();
  }

  Generator initial_{2};
  Gpt model_{kSmall, initial_};
};

TEST_F(Texts, PastTheContextTheLastTokensAreComputedAnew) {
  Generator draws(1);
  GptGenerator text(model_, {}, &draws);
  text.Append({3, 4});
  for (int i = 0; i < 20; ++i) {
    const std::vector<int64_t>& tokens = text.tokens();
    const size_t begin = tokens.size() - std::min<size_t>(tokens.size(), 6);
    EXPECT_THAT(text.NextLogits().ToVector<float>(),
                Pointwise(FloatNear(1e-5f), Uncached(tokens, begin)))
        << tokens.size();
    const size_t size = tokens.size();
    const int64_t token = text.Next();
    EXPECT_EQ(text.tokens().size(), size + 1);
    EXPECT_EQ(text.tokens().back(), token);
  }
}

TEST_F(Texts, AHalfWindowStartsAnewFromHalfTheContext) {
  Generator draws(1);
  GptGenerator text(model_, {.window = Window::kHalf}, &draws);
  text.Append({3, 4});
  size_t begin = 0;
  int restarts = 0;
  for (int i = 0; i < 30; ++i) {
    const std::vector<int64_t>& tokens = text.tokens();
    if (tokens.size() - begin > 6) {
      begin = tokens.size() - 3;
      ++restarts;
    }
    EXPECT_THAT(text.NextLogits().ToVector<float>(),
                Pointwise(FloatNear(1e-5f), Uncached(tokens, begin)))
        << tokens.size();
    text.Next();
  }
  EXPECT_GT(restarts, 4);
}

TEST_F(Texts, BothWindowsGiveTheSameTextWithinTheContext) {
  std::vector<std::vector<int64_t>> texts;
  for (Window window : {Window::kCrop, Window::kHalf}) {
    Generator draws(1);
    GptGenerator text(model_, {.window = window}, &draws);
    text.Append({5});
    for (int i = 0; i < 6; ++i) text.Next();
    texts.push_back(text.tokens());
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(Texts, ALongPromptFillsTheWindow) {
  std::vector<int64_t> prompt;
  for (int64_t i = 0; i < 15; ++i) prompt.push_back((7 * i) % 11);
  for (Window window : {Window::kCrop, Window::kHalf}) {
    Generator draws(1);
    GptGenerator text(model_, {.window = window}, &draws);
    text.Append(prompt);
    EXPECT_THAT(text.NextLogits().ToVector<float>(),
                Pointwise(FloatNear(1e-5f), Uncached(prompt, 9)));
  }
}

TEST_F(Texts, ManyTokensMayBeAppendedAtAnyTime) {
  Generator draws(1);
  GptGenerator text(model_, {.window = Window::kHalf}, &draws);
  text.Append({1, 2});
  text.NextLogits();
  text.Append({3, 4, 5});
  EXPECT_THAT(text.NextLogits().ToVector<float>(),
              Pointwise(FloatNear(1e-5f), Uncached({1, 2, 3, 4, 5}, 0)));
  text.Append({6, 7, 8, 9, 10, 0, 1, 2});  // 13 in all: the last 3 stay
  EXPECT_THAT(text.NextLogits().ToVector<float>(),
              Pointwise(FloatNear(1e-5f), Uncached({0, 1, 2}, 0)));
}

TEST_F(Texts, NextLogitsDrawsNothingAndCanBeAskedTwice) {
  Generator draws(1);
  const std::string before = draws.State();
  GptGenerator text(model_, {}, &draws);
  text.Append({1, 2});
  const std::vector<float> once = text.NextLogits().ToVector<float>();
  EXPECT_EQ(text.NextLogits().ToVector<float>(), once);
  EXPECT_EQ(once.size(), 11u);
  EXPECT_EQ(draws.State(), before);
}

TEST_F(Texts, AContextOfOneWorks) {
  Generator generator(2);
  Gpt tiny({.vocab = 5, .context = 1, .width = 4, .heads = 1, .layers = 1}, generator);
  for (Window window : {Window::kCrop, Window::kHalf}) {
    GptGenerator text(tiny, {.window = window}, &generator);
    text.Append({1});
    for (int i = 0; i < 5; ++i) text.Next();
    EXPECT_EQ(text.tokens().size(), 6u);
  }
}

TEST_F(Texts, AnEmptyTextHasNoNextToken) {
  Generator draws(1);
  GptGenerator text(model_, {}, &draws);
  EXPECT_EQ(ErrorOf([&] { text.NextLogits(); }),
            "[sample] the text is empty; Append a first token");
}

TEST(GptGeneratorOptions, AGeneratorIsNeededToDraw) {
  Generator generator(9);
  const GptConfig config = {.vocab = 5, .context = 4, .width = 8, .heads = 1, .layers = 1};
  Gpt model(config, generator);
  EXPECT_EQ(ErrorOf([&] { GptGenerator(model, {}, nullptr); }),
            "[sample] generator: it is needed but for temperature 0");
  GptGenerator text(model, {.temperature = 0}, nullptr);
  text.Append({1});
  text.Next();
  EXPECT_EQ(text.tokens().size(), 2u);
}

}  // namespace
}  // namespace lemma::models
