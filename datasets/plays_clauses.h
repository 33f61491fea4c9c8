// The clauses of the made-up plays: the lower half of plays_grammar.h, from words to whole lines.
#ifndef LEMMA_DATASETS_PLAYS_CLAUSES_H_
#define LEMMA_DATASETS_PLAYS_CLAUSES_H_

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "datasets/grammar.h"
#include "datasets/plays_words.h"

namespace lemma::datasets {

// The subject of a clause, as far as the rest of it depends on it.
enum Person { kIt, kThey, kHe, kShe, kI, kThou, kYou, kWe };

struct PersonForms {
  const char* name;
  const char* possessive;
  const char* be;
  const char* have;
  const char* will;
  const char* shall;
  const char* can;
  const char* do_not;
  bool takes_s;  // "he adores"; the others have the base form
};

const PersonForms& Forms(Person person);

// What stands still while a line is written: the place, whether the speaker says thou, and whether
// the line is a question.
struct Line {
  int place;
  bool thou;
  bool question;

  Person Listener() const { return thou ? kThou : kYou; }
  std::string Key() const { return absl::StrCat(place, thou ? "t" : "y", question ? "?" : "."); }
};

// Which numbers a noun may have after its determiner.
enum Number { kSingular, kPlural, kAnyNumber };

using Words = std::vector<std::string>;

Words AllCapitalized(Words words);

// Adds rules to a grammar. Each function that returns a symbol makes its rules at the first call
// and finds them at the next; functions that start with Add give alternatives to `head`.
class ClauseBuilder {
 public:
  using Body = std::vector<int>;
  enum Form { kOne, kMany, kManyCapital };

  // The symbol after a noun phrase, which may depend on its number.
  struct Rest {
    int one;
    int many;
  };

  // The nonterminal of that name; `fill` adds its alternatives at the first call.
  template <typename Fill>
  int Define(const std::string& name, Fill fill) {
    const int symbol = g_.Nonterminal(name);
    if (defined_.insert(symbol).second) fill(symbol);
    return symbol;
  }
  int T(absl::string_view text) { return g_.Text(text); }

  // One of the words with equal chances, each after `before`.
  int OneOf(const std::string& name, const Words& words, absl::string_view before = " ") {
    return Define(name, [&](int head) {
      for (const std::string& word : words) g_.Add(head, 1, {T(absl::StrCat(before, word))});
    });
  }

  // Words and noun groups.
  int Adjective() { return OneOf("adjective", Adjectives()); }
  int PlaceNoun(int place, bool plural);
  int Verb(bool transitive, bool takes_s);
  int CoinedVerb(bool takes_s);
  void AddNouns(int head, int place, Form form, uint32_t weight, const Body& rest);
  void AddGroup(int head, int nouns);
  int NounGroup(int place, Number number);
  int AgreeingGroup(int place, const Rest& rest);
  int AfterArticle(int place, bool an);
  void AddNounPhrases(int head, const Line& line, Person subject, bool capital, const Rest& rest);

  // Clauses, each with all that follows up to the end of the line, or of the lines joined to it.
  int End(const Line& line);
  int AfterNoun(const Line& line, Person subject, int depth);
  int AfterVerb(const Line& line, Person subject);
  int AfterCoinedVerb(const Line& line, Person subject);
  int Object(const Line& line, Person subject, int depth);
  int Predicate(const Line& line, Person subject);
  int BaseVerb(const Line& line, Person subject);
  int VerbPhrase(const Line& line, Person subject);
  int AfterSubject(const Line& line, Person subject);
  int Clause(const Line& line, bool capital);

 protected:
  Grammar g_;

 private:
  std::unordered_set<int> defined_;
};

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_PLAYS_CLAUSES_H_
