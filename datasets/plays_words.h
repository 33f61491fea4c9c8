// The vocabulary of the made-up plays: places with their players and things, common words, and
// words that no language has.
//
// The word lists are our own. Lists that can stand at the same place of a sentence have no word in
// common, which grammar_reader.h confirms.
#ifndef LEMMA_DATASETS_PLAYS_WORDS_H_
#define LEMMA_DATASETS_PLAYS_WORDS_H_

#include <string>
#include <vector>

namespace lemma::datasets {

struct Player {
  std::string name;  // "Vesper"; in a heading "VESPER"
  bool she = false;
  bool thou = false;  // says "thou" to everyone, else "you"
};

// Where a scene is set. Each player and each of these nouns belongs to one place.
struct Place {
  std::string name;  // "harbour"
  std::vector<Player> cast;
  std::vector<std::string> nouns;
};

const std::vector<Place>& Places();

// Nouns of every place, adjectives, verbs with and without an object (base forms), prepositions.
const std::vector<std::string>& CommonNouns();
const std::vector<std::string>& Adjectives();
const std::vector<std::string>& TransitiveVerbs();
const std::vector<std::string>& IntransitiveVerbs();
const std::vector<std::string>& Participles();
const std::vector<std::string>& Prepositions();
const std::vector<std::string>& Adverbs();

// "moon-pale" and others: all pairs of a noun and an adjective.
const std::vector<std::string>& CompoundAdjectives();

// Beginning + vowel + ending, all combinations that are not words of the lists above: "brollow",
// "quaffy", "stumble". The three kinds have different endings.
const std::vector<std::string>& CoinedNouns();
const std::vector<std::string>& CoinedAdjectives();
const std::vector<std::string>& CoinedVerbs();

// Words that rhyme and are spelled alike at the end, a list for each rhyme.
const std::vector<std::vector<std::string>>& Rhymes();

// "gull" -> "gulls", "fox" -> "foxes", "cry" -> "cries": the plural of a noun, and the form of a
// verb after he, she or it.
std::string WithS(const std::string& word);

// The word with a capital first letter; the word in capitals.
std::string Capitalized(std::string word);
std::string InCapitals(std::string word);

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_PLAYS_WORDS_H_
