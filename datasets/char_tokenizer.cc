#include "datasets/char_tokenizer.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/error.h"

namespace lemma::datasets {
namespace {

struct CodePoint {
  char32_t value;
  size_t bytes;  // 0 if what is there is no character
};

// The character that `text`, which is not empty, starts with. RFC 3629, section 4.
CodePoint FirstCodePoint(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {0, 0};
  char32_t value = lead & (0xFF >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 0};
    value = (value << 6) | (byte(i) & 0x3F);
  }
  const bool too_long = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (too_long || surrogate || value > 0x10FFFF) return {0, 0};
  return {value, size};
}

void AppendUtf8(char32_t c, std::string* text) {
  if (c < 0x80) {
    text->push_back(static_cast<char>(c));
    return;
  }
  const int continuations = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  const int lead = (0xF00 >> (continuations + 1)) & 0xFF;
  text->push_back(static_cast<char>(lead | (c >> (6 * continuations))));
  for (int i = continuations - 1; i >= 0; --i) {
    text->push_back(static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F)));
  }
}

}  // namespace

absl::string_view CourseAlphabet() {
  return "\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
}

absl::StatusOr<std::vector<char32_t>> DecodeUtf8(absl::string_view text) {
  std::vector<char32_t> characters;
  characters.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const CodePoint c = FirstCodePoint(text.substr(position));
    if (c.bytes == 0) {
      return absl::InvalidArgumentError(
          absl::StrFormat("the text is not UTF-8: byte %d is 0x%02X, which does not start a "
                          "character; convert the text to UTF-8",
                          position, static_cast<unsigned char>(text[position])));
    }
    characters.push_back(c.value);
    position += c.bytes;
  }
  return characters;
}

std::string DescribeCharacter(char32_t c) {
  const std::string number = absl::StrFormat("U+%04X", static_cast<uint32_t>(c));
  if (c == '\n') return absl::StrCat("'\\n' (", number, ")");
  if (c == '\r') return absl::StrCat("'\\r' (", number, ")");
  if (c == '\t') return absl::StrCat("'\\t' (", number, ")");
  // Controls, and characters that are invisible or turn the direction of writing.
  const bool hidden = c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD ||
                      (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
                      (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c >= 0xE0000;
  if (hidden) return number;
  std::string text;
  AppendUtf8(c, &text);
  return absl::StrCat("'", text, "' (", number, ")");
}

CharTokenizer::CharTokenizer(std::vector<char32_t> sorted) : characters_(std::move(sorted)) {
  for (size_t i = 0; i < characters_.size(); ++i) tokens_[characters_[i]] = i;
}

absl::StatusOr<CharTokenizer> CharTokenizer::FromText(absl::string_view text) {
  absl::StatusOr<std::vector<char32_t>> characters = DecodeUtf8(text);
  if (!characters.ok()) return characters.status();
  if (characters->empty()) {
    return absl::InvalidArgumentError("the text is empty, so it has no alphabet");
  }
  std::sort(characters->begin(), characters->end());
  characters->erase(std::unique(characters->begin(), characters->end()), characters->end());
  return CharTokenizer(*std::move(characters));
}

absl::StatusOr<CharTokenizer> CharTokenizer::FromAlphabet(absl::string_view alphabet) {
  absl::StatusOr<std::vector<char32_t>> characters = DecodeUtf8(alphabet);
  if (!characters.ok()) return characters.status();
  if (characters->empty()) return absl::InvalidArgumentError("the alphabet is empty");
  std::sort(characters->begin(), characters->end());
  const auto twice = std::adjacent_find(characters->begin(), characters->end());
  if (twice != characters->end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the alphabet has the character ", DescribeCharacter(*twice), " twice"));
  }
  return CharTokenizer(*std::move(characters));
}

CharTokenizer CharTokenizer::Course() {
  absl::StatusOr<CharTokenizer> tokenizer = FromAlphabet(CourseAlphabet());
  LEMMA_CHECK(tokenizer.ok());
  return *std::move(tokenizer);
}

std::string CharTokenizer::Alphabet() const {
  std::string alphabet;
  for (char32_t c : characters_) AppendUtf8(c, &alphabet);
  return alphabet;
}

absl::StatusOr<std::vector<int64_t>> CharTokenizer::Encode(absl::string_view text) const {
  const absl::StatusOr<std::vector<char32_t>> characters = DecodeUtf8(text);
  if (!characters.ok()) return characters.status();
  std::vector<int64_t> tokens;
  tokens.reserve(characters->size());
  int64_t line = 1, line_start = 0;
  for (char32_t c : *characters) {
    const int64_t position = static_cast<int64_t>(tokens.size());
    const auto token = tokens_.find(c);
    if (token == tokens_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the character ", DescribeCharacter(c), " at position ", position, " (line ",
                       line, ", column ", position - line_start + 1, ") is not one of the ", size(),
                       " characters of the alphabet"));
    }
    tokens.push_back(token->second);
    if (c == '\n') {
      ++line;
      line_start = position + 1;
    }
  }
  return tokens;
}

absl::StatusOr<std::string> CharTokenizer::Decode(absl::Span<const int64_t> tokens) const {
  std::string text;
  text.reserve(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || tokens[i] >= size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the token ", tokens[i], " at position ", i, " is outside of the alphabet, which has ",
          size(), " characters (0 to ", size() - 1, ")"));
    }
    AppendUtf8(characters_[tokens[i]], &text);
  }
  return text;
}

int64_t CharTokenizer::DefaultStart() const {
  for (char32_t c : {U'\n', U' '}) {
    if (const auto token = tokens_.find(c); token != tokens_.end()) return token->second;
  }
  return 0;
}

std::string CharTokenizer::FirstDifference(const CharTokenizer& other, absl::string_view ours,
                                           absl::string_view theirs) const {
  if (*this == other) return "";
  const auto [mine, its] = std::mismatch(characters_.begin(), characters_.end(),
                                         other.characters_.begin(), other.characters_.end());
  const auto show = [](auto it, auto end) {
    return it == end ? std::string("none") : DescribeCharacter(*it);
  };
  return absl::StrCat("the alphabet of ", ours, " has ", size(), " characters and that of ", theirs,
                      " has ", other.size(), "; the first that differs is token ",
                      mine - characters_.begin(), ": ", show(mine, characters_.end()), " in ", ours,
                      ", ", show(its, other.characters_.end()), " in ", theirs);
}

}  // namespace lemma::datasets
