#include "datasets/plays_grammar.h"

#include <gtest/gtest.h>

#include <string>

#include "datasets/grammar_reader.h"

namespace lemma::datasets {
namespace {

// What Xanthe says to Marlo, as the first words of a scene.
absl::StatusOr<double> Score(const GrammarReader& reader, const std::string& speech) {
  return reader.Score(
      "CHORUS:\nThe scene is a harbour at noon.\n"
      "Enter Xanthe with her net, and Marlo.\n\n" +
      speech + "\nMARLO:\n");
}

TEST(PlaysGrammar, TheNextWordDecidesEveryChoice) {
  const PlaysGrammar plays = BuildPlaysGrammar();
  const auto reader = GrammarReader::Create(&plays.grammar, plays.scene);
  ASSERT_TRUE(reader.ok()) << reader.status();

  for (const char* right : {
           "XANTHE:\nThe gulls of the tide adore you!\n",
           "XANTHE:\nGood Marlo, an oar weeps.\n",
           "XANTHE:\nWhy doth the gull weep?\n",
           "XANTHE:\nCoral loves her gull,\nAnd the oars weep.\n",
           "XANTHE:\nFie on the gull, and fie on every gull!\n",
           "XANTHE:\nThus we sing of pale moon,\nAnd gulls will love the noon.\n",
       }) {
    const auto nats = Score(*reader, right);
    EXPECT_TRUE(nats.ok()) << right << nats.status();
  }
  for (const char* wrong : {
           "MARLO:\nI weep.\n",                             // the first to enter speaks first
           "XANTHE:\nThe gulls of the tide adores you!\n",  // number, across the nearer noun
           "XANTHE:\nThe gulls of the tide adore thee!\n",  // Xanthe says you
           "XANTHE:\nGood Coral, an oar weeps.\n",          // Coral is not here
           "XANTHE:\nGood Marlo, a oar weeps.\n",
           "XANTHE:\nWhy doth the gull weep.\n",
           "XANTHE:\nThe tulip weeps.\n",  // a thing of the garden
           "XANTHE:\nMarlo weeps.\n",      // he is here
           "XANTHE:\nCoral loves his gull.\n",
           "XANTHE:\nFie on the gull, and fie on every net!\n",
           "XANTHE:\nThus we sing of pale moon,\nAnd gulls will love the night.\n",
           "XANTHE:\nThus we sing of pale moon,\nAnd gulls will love the moon.\n",
       }) {
    EXPECT_FALSE(Score(*reader, wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace lemma::datasets
