// Characters as tokens: the token of a character is its place in a sorted alphabet.
//
//   absl::StatusOr<CharTokenizer> tokenizer = CharTokenizer::FromText("hello");  // alphabet "ehlo"
//   tokenizer->Encode("hole");             // {1, 3, 2, 0}
//   tokenizer->Decode({1, 3, 2, 0});       // "hole"
//   tokenizer->Encode("help");             // error: the character 'p' (U+0070) at position 3 ...
//
// A character is a Unicode code point, written in UTF-8. Nothing is normalised, so that an e with
// an accent may be one character or two, as the text has it. Bytes that are not UTF-8 (RFC 3629: no
// surrogates, nothing above U+10FFFF, shortest forms only) are an error that gives the byte.
//
// Positions in errors count characters from 0; lines and columns count from 1.
#ifndef LEMMA_DATASETS_CHAR_TOKENIZER_H_
#define LEMMA_DATASETS_CHAR_TOKENIZER_H_

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace lemma::datasets {

// The 65 characters of tiny Shakespeare: newline, space, !$&',-.3:;? and the letters, in order.
absl::string_view CourseAlphabet();

// The code points of a text.
absl::StatusOr<std::vector<char32_t>> DecodeUtf8(absl::string_view text);

// As an error message shows a character: 'a' (U+0061), '\n' (U+000A), U+0007.
std::string DescribeCharacter(char32_t c);

class CharTokenizer {
 public:
  // The alphabet is the set of characters that the text has. An empty text is an error.
  static absl::StatusOr<CharTokenizer> FromText(absl::string_view text);

  // The alphabet itself, in any order; a character that occurs twice is an error.
  static absl::StatusOr<CharTokenizer> FromAlphabet(absl::string_view alphabet);

  // Of CourseAlphabet().
  static CharTokenizer Course();

  int64_t size() const { return static_cast<int64_t>(characters_.size()); }

  // All characters in order, in UTF-8: what a checkpoint keeps.
  std::string Alphabet() const;

  // One token for each character. A character that the alphabet does not have is an error that
  // shows it, its position, line and column.
  absl::StatusOr<std::vector<int64_t>> Encode(absl::string_view text) const;

  // The text of the tokens. A token outside [0, size) is an error that gives it and its position.
  absl::StatusOr<std::string> Decode(absl::Span<const int64_t> tokens) const;

  // The token that a sample starts from when no prompt is given: that of newline, else of space,
  // else 0.
  int64_t DefaultStart() const;

  // Why two alphabets are not the same: both sizes and the first symbol that differs. Empty if they
  // are the same. `ours` and `theirs` say whose they are, as in "the checkpoint" and "the text".
  std::string FirstDifference(const CharTokenizer& other, absl::string_view ours,
                              absl::string_view theirs) const;

  bool operator==(const CharTokenizer& other) const { return characters_ == other.characters_; }

 private:
  explicit CharTokenizer(std::vector<char32_t> sorted);

  std::vector<char32_t> characters_;
  std::unordered_map<char32_t, int64_t> tokens_;
};

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_CHAR_TOKENIZER_H_
