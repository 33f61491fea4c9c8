#include "datasets/grammar_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "datasets/grammar.h"

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

// The claim of the header, by brute force: sums over all texts, which are told apart as strings.
TEST(GrammarReader, EntropyOfTheTextsIsTheEntropyOfTheChoices) {
  const Sentences s;
  ASSERT_TRUE(GrammarReader::Create(&s.g, s.start).ok())
      << GrammarReader::Create(&s.g, s.start).status();
  std::map<std::string, double> texts;
  Generator generator(1);
  for (int i = 0; i < 4000; ++i) {
    std::string text = s.g.Generate(s.start, 60, generator);
    text.resize(text.find('\n') + 1);
    texts[text] = 0;
  }
  EXPECT_EQ(texts.size(), 12u);  // 3 subjects x 2 objects x 2 endings: all have been drawn
  double total = 0, entropy = 0, length = 0;
  for (auto& [text, probability] : texts) {
    // A first token of a next round, so that no token touches the end of the text.
    const auto nats = GrammarReader::Create(&s.g, s.start)->Score(text + "T");
    ASSERT_TRUE(nats.ok()) << nats.status();
    probability = std::exp(-*nats);
    total += probability;
    entropy += probability * *nats;
    length += probability * static_cast<double>(text.size());
  }
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_NEAR(entropy, s.g.Expect(s.start)->nats, 1e-12);
  EXPECT_NEAR(length, s.g.Expect(s.start)->characters, 1e-12);
}

TEST(GrammarReader, ScoreRecoversTheChoicesFromTheText) {
  const Sentences s;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Generator generator(seed);
    std::vector<float> nats;
    std::string text = s.g.Generate(s.start, 500, generator, &nats);
    const size_t end = text.rfind('\n') + 1;  // ends with a whole round
    double drawn = 0;
    for (size_t i = 0; i < end; ++i) drawn += nats[i];
    const auto read = GrammarReader::Create(&s.g, s.start)->Score(text.substr(0, end) + "T");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_NEAR(*read, drawn, 1e-4);
    EXPECT_TRUE(GrammarReader::Create(&s.g, s.start)->Score(text).ok());  // cut off anywhere
  }
}

TEST(GrammarReader, ScoreNamesTheByteThatDoesNotFit) {
  const Sentences s;
  EXPECT_EQ(
      Message(GrammarReader::Create(&s.g, s.start)->Score("The dog sees the cat.\n").status()),
      "at byte 3 the text has ' dog', with which the grammar's symbol 'noun' cannot start");
  EXPECT_EQ(Message(GrammarReader::Create(&s.g, s.start)->Score("The cat see the cat.\n").status()),
            "at byte 7 the text has ' see ', and the grammar goes on with ' sees'");
  EXPECT_EQ(Message(GrammarReader::Create(&s.g, s.start)->Score("I see the cats.\n").status()),
            "at byte 13 the text has 's', with which the grammar's symbol 'adverb' cannot start");
}

TEST(GrammarReader, ScoreSurvivesAnyBytes) {
  const Sentences s;
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    Generator generator(random());
    std::string text = s.g.Generate(s.start, random() % 80, generator);
    for (char& c : text) {
      if (random() % 20 == 0) c = static_cast<char>(random());
    }
    const auto nats = GrammarReader::Create(&s.g, s.start)->Score(text);
    if (nats.ok()) {
      ASSERT_GE(*nats, 0);
    }
  }
}

TEST(GrammarReader, RefusesAlternativesThatStartAlike) {
  Sentences s;
  s.g.Add(s.g.Nonterminal("adverb"), 1, {s.g.Text(".")});
  EXPECT_EQ(Message(GrammarReader::Create(&s.g, s.start).status()),
            "two alternatives of the grammar's symbol 'adverb' start with '.'");
}

TEST(GrammarReader, ABeginningOfALongerWordIsAnotherWord) {
  Grammar g;
  const int a = g.Nonterminal("a");
  g.Add(a, 1, {g.Text(" kin"), g.Text(".")});
  g.Add(a, 1, {g.Text(" kingdom"), g.Text(".")});
  EXPECT_TRUE(GrammarReader::Create(&g, a).ok());
}

TEST(GrammarReader, RefusesWordsThatRunOn) {
  Grammar g;
  const int a = g.Nonterminal("a"), b = g.Nonterminal("b");
  g.Add(a, 1, {b, g.Text("s"), g.Text(".")});
  g.Add(b, 1, {g.Text(" king")});
  EXPECT_EQ(Message(GrammarReader::Create(&g, a).status()),
            "the grammar lets a word of 'b' run on into 's'");

  Grammar round;  // from the end of a round into the next
  const int c = round.Nonterminal("c");
  round.Add(c, 1, {round.Text("ab")});
  EXPECT_EQ(Message(GrammarReader::Create(&round, c).status()),
            "the grammar lets a word of 'c' run on into 'c'");

  Grammar space;
  const int d = space.Nonterminal("d");
  space.Add(d, 1, {space.Text("the "), space.Text("king"), space.Text(".")});
  EXPECT_EQ(Message(GrammarReader::Create(&space, d).status()),
            "the grammar's text 'the ' ends with a space");
}

TEST(GrammarReader, RefusesASymbolThatStartsWithItself) {
  Grammar g;
  const int a = g.Nonterminal("a");
  g.Add(a, 1, {a, g.Text(".")});
  EXPECT_EQ(Message(GrammarReader::Create(&g, a).status()),
            "the grammar's symbol 'a' starts with itself");
}

TEST(GrammarReader, RefusesASymbolWithoutAlternatives) {
  Grammar g;
  const int a = g.Nonterminal("a");
  g.Add(a, 1, {g.Text("."), g.Nonterminal("b")});
  EXPECT_EQ(Message(GrammarReader::Create(&g, a).status()),
            "the grammar's symbol 'b' has no alternatives");
}

}  // namespace
}  // namespace lemma::datasets
