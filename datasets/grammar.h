// Probabilistic grammars whose texts have an entropy that is known exactly.
//
//   Grammar g;
//   const int greeting = g.Nonterminal("greeting");
//   const int name = g.Nonterminal("name");
//   g.Add(greeting, 1, {g.Text("Hail"), name, g.Text(".\n")});
//   g.Add(name, 3, {g.Text(" Marlo")});     // three times in four
//   g.Add(name, 1, {g.Text(" Vesper")});
//   g.Expect(greeting)->nats;               // 0.5623 = -3/4 ln 3/4 - 1/4 ln 1/4
//
// A nonterminal is expanded by one of its alternatives, drawn with its weight over the sum of the
// weights, independently of everything else. Repeating the expansion of a start symbol for ever
// gives an endless text of independent, equally distributed rounds.
//
// Why the entropy of the text is that of the choices. A text is read as tokens: a space that may
// be missing, then the longest run of letters, hyphens and apostrophes, or else one other
// character. GrammarReader (grammar_reader.h) accepts a grammar only if
//   1. every alternative starts with a token (nothing derives the empty text),
//   2. the alternatives of a nonterminal have no first token in common,
//   3. no piece of text can end in the middle of a run that the next piece goes on with.
// By 3 the tokens of a text are those of its pieces. By 1 and 2 the next token decides the
// alternative at every choice, so reading from the left recovers all choices, which the reader
// does: the map from choices to texts is one to one, and the probability of a text is the product
// of the probabilities of its choices. Such a language is also prefix-free, so rounds need no
// separator.
//
// With I the sum of -ln p over the choices of a round and L its number of characters, the law of
// large numbers for renewal processes gives -ln p(first n characters) / n -> E[I] / E[L] nats per
// character, with a standard deviation of sqrt(Var[I - rate L] / (E[L] n)). The expectations solve
// linear systems (one equation a nonterminal: h = sum_i p_i (-ln p_i + sum of h over the body)),
// which are solved to the last bits of a double.
#ifndef LEMMA_DATASETS_GRAMMAR_H_
#define LEMMA_DATASETS_GRAMMAR_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "autograd/random.h"

namespace lemma::datasets {

class Grammar {
 public:
  // What one expansion of a symbol is expected to be.
  struct Expectation {
    double nats = 0;                    // E[I]
    double characters = 0;              // E[L]
    double nats_per_character = 0;      // E[I] / E[L]
    double variance_per_character = 0;  // Var[I - rate L] / E[L]
  };

  // The nonterminal of that name, made at the first call.
  int Nonterminal(absl::string_view name);

  // The terminal that writes `text`; ASCII, not empty.
  int Text(absl::string_view text);

  // One more alternative of `head`. The weight is a positive integer, and the weights of a
  // nonterminal sum to less than 2^32: draws use integers alone, so a seed gives the same text on
  // every machine.
  void Add(int head, uint32_t weight, std::vector<int> body);

  // Whether `head` has alternatives already: for grammars that are built by recursive functions.
  bool Has(int head) const;

  // An error if a symbol has no alternatives or an expected length is infinite.
  absl::StatusOr<Expectation> Expect(int start) const;

  // The first `length` characters of rounds of `start` without end. `nats`, if given, gets a value
  // for each character: the information of the choices that its token reveals is written at the
  // token's first character, so the sum over a range is -ln p of that range given what precedes.
  std::string Generate(int start, int64_t length, Generator& generator,
                       std::vector<float>* nats = nullptr) const;

 private:
  friend class GrammarReader;

  struct Alternative {
    uint32_t end_of_range;  // sum of the weights up to and including this one
    std::vector<int> body;
  };
  struct Symbol {
    std::string text;  // the name of a nonterminal, the text of a terminal
    bool terminal = false;
    std::vector<Alternative> alternatives;
  };
  struct Equation;
  static bool Solve(const std::vector<Equation>& equations, const std::vector<double>& constants,
                    std::vector<double>* values);

  int Intern(absl::string_view text, bool terminal);
  size_t Draw(const Symbol& symbol, Generator& generator) const;
  static double Nats(const Symbol& symbol, size_t alternative);
  std::vector<int> Reachable(int start) const;

  std::vector<Symbol> symbols_;
  std::unordered_map<std::string, int> terminals_;
  std::unordered_map<std::string, int> nonterminals_;
};

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_GRAMMAR_H_
