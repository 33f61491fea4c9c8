#include "datasets/grammar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace lemma::datasets {
namespace {

std::string Message(const absl::Status& status) { return std::string(status.message()); }

// Sentences like "The cat sees the cats." with agreement, all of finite length.
struct Sentences {
  Grammar g;
  int start;

  Sentences() {
    start = g.Nonterminal("sentence");
    const int noun = g.Nonterminal("noun");
    const int object = g.Nonterminal("object");
    const int adverb = g.Nonterminal("adverb");
    g.Add(start, 3, {g.Text("The"), noun});
    g.Add(start, 1, {g.Text("I"), g.Text(" see"), object});
    g.Add(noun, 2, {g.Text(" cat"), g.Text(" sees"), object});
    g.Add(noun, 1, {g.Text(" cats"), g.Text(" see"), object});
    g.Add(object, 5, {g.Text(" the"), g.Text(" cat"), adverb});
    g.Add(object, 2, {g.Text(" Tom's"), adverb});
    g.Add(adverb, 7, {g.Text(".\n")});
    g.Add(adverb, 1, {g.Text(" now"), g.Text("!\n")});
  }
};

TEST(Grammar, EntropyOfOneChoiceIsItsEntropy) {
  Grammar g;
  const int greeting = g.Nonterminal("greeting"), name = g.Nonterminal("name");
  g.Add(greeting, 1, {g.Text("Hail"), name, g.Text(".\n")});
  g.Add(name, 3, {g.Text(" Marlo")});
  g.Add(name, 1, {g.Text(" Vesper")});
  const auto expected = g.Expect(greeting);
  ASSERT_TRUE(expected.ok());
  EXPECT_NEAR(expected->nats, -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 1e-14);
  EXPECT_NEAR(expected->characters, 4 + 0.75 * 6 + 0.25 * 7 + 2, 1e-13);
}

TEST(Grammar, ExpectationsOfARecursionAreThoseOfTheGeometricDistribution) {
  Grammar g;
  const int a = g.Nonterminal("a");
  g.Add(a, 3, {g.Text("a"), g.Text("."), a});  // p = 3/4 to go on
  g.Add(a, 1, {g.Text("b"), g.Text(".")});
  const double h = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
  const auto expected = g.Expect(a);
  ASSERT_TRUE(expected.ok());
  EXPECT_NEAR(expected->nats, 4 * h, 1e-12);  // 1 / (1 - p) choices
  EXPECT_NEAR(expected->characters, 8, 1e-12);
  // Each choice writes two characters, so D is a sum over the choices of -ln p_i - h, and by Wald
  // Var[D] = E[choices] Var[-ln p_i].
  const double spread = 0.75 * 0.25 * std::pow(std::log(0.75) - std::log(0.25), 2);
  EXPECT_NEAR(expected->variance_per_character, spread / 2, 1e-12);
}

TEST(Grammar, WritesTextsWithTheFrequenciesOfTheWeights) {
  Grammar g;
  const int a = g.Nonterminal("a");
  g.Add(a, 1, {g.Text("x"), g.Text(".")});
  g.Add(a, 5, {g.Text("y"), g.Text(".")});
  g.Add(a, 2, {g.Text("z"), g.Text(".")});
  Generator generator(7);
  const std::string text = g.Generate(a, 160000, generator);
  std::map<char, int> count;
  for (char c : text) ++count[c];
  // Binomial: standard deviations 94, 137 and 122 of 80,000 draws.
  EXPECT_NEAR(count['x'], 10000, 5 * 94);
  EXPECT_NEAR(count['y'], 50000, 5 * 137);
  EXPECT_NEAR(count['z'], 20000, 5 * 122);
}

TEST(Grammar, AnExpectedVarianceIsThatOfManyTexts) {
  const Sentences s;
  const Grammar::Expectation expected = s.g.Expect(s.start).value();
  constexpr int kTexts = 2000;
  constexpr int kLength = 4000;
  double sum = 0, squares = 0;
  Generator generator(3);
  for (int i = 0; i < kTexts; ++i) {
    std::vector<float> nats;
    s.g.Generate(s.start, kLength, generator, &nats);
    double total = 0;
    for (float x : nats) total += x;
    const double d = total - expected.nats_per_character * kLength;
    sum += d;
    squares += d * d;
  }
  const double variance = expected.variance_per_character * kLength;
  // The relative standard deviation of a sample variance is sqrt(2 / 2000) = 0.032.
  EXPECT_NEAR(squares / kTexts / variance, 1, 0.15);
  // 5 standard deviations, and one round's length effect at the cut.
  EXPECT_NEAR(sum / kTexts, 0, 5 * std::sqrt(variance / kTexts) + expected.nats);
}

TEST(Grammar, RefusesASymbolWithoutAlternatives) {
  Grammar g;
  const int a = g.Nonterminal("a");
  g.Add(a, 1, {g.Text("."), g.Nonterminal("b")});
  EXPECT_EQ(Message(g.Expect(a).status()), "the grammar's symbol 'b' has no alternatives");
}

TEST(Grammar, RefusesAnInfiniteExpectedLength) {
  Grammar g;
  const int a = g.Nonterminal("a");
  g.Add(a, 3, {g.Text("("), a, a});
  g.Add(a, 1, {g.Text(")")});
  EXPECT_EQ(Message(g.Expect(a).status()),
            "the grammar's symbol 'a' has no finite expected length");
}

}  // namespace
}  // namespace lemma::datasets
