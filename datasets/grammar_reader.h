// Recovers the choices of a probabilistic grammar from a text.
//
//   absl::StatusOr<GrammarReader> reader = GrammarReader::Create(&grammar, start);
//   reader->Score(text);   // -ln p of the text
//
// That a reader can be made is the proof that the entropy of the grammar's texts is the entropy of
// its choices: see grammar.h.
#ifndef LEMMA_DATASETS_GRAMMAR_READER_H_
#define LEMMA_DATASETS_GRAMMAR_READER_H_

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "datasets/grammar.h"

namespace lemma::datasets {

class GrammarReader {
 public:
  // Checks the three conditions of grammar.h for all that `start` reaches. The error names the
  // nonterminal and the token that break one. `grammar` must stay alive and as it is.
  static absl::StatusOr<GrammarReader> Create(const Grammar* grammar, int start);

  // -ln p of a text, which is rounds of the start symbol, of which the last may be cut off; a token
  // that touches the end counts nothing. Any other text is an error that gives the byte.
  absl::StatusOr<double> Score(absl::string_view text) const;

 private:
  // The tokens that an expansion can start with, in order, and the alternative that each decides.
  using FirstTable = std::vector<std::pair<int, int>>;

  GrammarReader(const Grammar* grammar, int start) : grammar_(grammar), start_(start) {}

  int Token(absl::string_view token);
  absl::Status FindFirst(int symbol);
  absl::Status CheckBoundaries(const std::vector<int>& symbols) const;

  const Grammar* grammar_;
  int start_;
  std::unordered_map<std::string, int> tokens_;
  std::vector<std::string> token_texts_;
  std::vector<FirstTable> first_;  // by symbol
};

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_GRAMMAR_READER_H_
