#include "datasets/plays_words.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace lemma::datasets {
namespace {

TEST(PlaysWords, WithSFollowsEnglishSpelling) {
  EXPECT_EQ(WithS("gull"), "gulls");
  EXPECT_EQ(WithS("fox"), "foxes");
  EXPECT_EQ(WithS("witch"), "witches");
  EXPECT_EQ(WithS("moth"), "moths");
  EXPECT_EQ(WithS("cry"), "cries");
  EXPECT_EQ(WithS("obey"), "obeys");
  EXPECT_EQ(WithS("go"), "goes");
}

TEST(PlaysWords, EveryLetterStartsThePlayersNameOfOne) {
  std::set<char> initials;
  for (const Place& place : Places()) {
    for (const Player& player : place.cast) initials.insert(player.name[0]);
  }
  EXPECT_EQ(initials.size(), 26u);
}

TEST(PlaysWords, ANounTellsItsPlace) {
  std::map<std::string, std::string> owner;
  for (const std::string& noun : CommonNouns()) owner[noun] = "all";
  for (const Place& place : Places()) {
    for (const std::string& noun : place.nouns) {
      EXPECT_TRUE(owner.emplace(noun, place.name).second) << noun << " of " << owner[noun];
    }
  }
}

TEST(PlaysWords, NoListHasAWordTwice) {
  for (const auto* list : {&CommonNouns(), &Adjectives(), &TransitiveVerbs(), &IntransitiveVerbs(),
                           &Participles(), &Prepositions(), &Adverbs(), &CompoundAdjectives(),
                           &CoinedNouns(), &CoinedAdjectives(), &CoinedVerbs()}) {
    std::set<std::string> seen;
    for (const std::string& word : *list) EXPECT_TRUE(seen.insert(word).second) << word;
  }
}

TEST(PlaysWords, CoinedWordsAreNotInTheOtherLists) {
  std::set<std::string> real;
  for (const auto* list :
       {&CommonNouns(), &Adjectives(), &TransitiveVerbs(), &IntransitiveVerbs()}) {
    real.insert(list->begin(), list->end());
  }
  for (const auto* list : {&CoinedNouns(), &CoinedAdjectives(), &CoinedVerbs()}) {
    EXPECT_GT(list->size(), 2000u);
    for (const std::string& word : *list) EXPECT_FALSE(real.contains(word)) << word;
  }
}

}  // namespace
}  // namespace lemma::datasets
