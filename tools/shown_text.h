// The text that a figure is about: --text, or the first --length characters of --dataset. Defines
// those flags (but that of the data set, tools/data_flags.h).
#ifndef LEMMA_TOOLS_SHOWN_TEXT_H_
#define LEMMA_TOOLS_SHOWN_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "datasets/char_tokenizer.h"
#include "tools/flags.h"

namespace lemma::tools {

// Characters of the longest text that is shown where no model's context limits it.
inline constexpr int64_t kLongestText = 2048;

struct ShownText {
  std::string name;  // for titles: "“To be”", "the beginning of plays"
  std::vector<int64_t> tokens;
  std::vector<std::string> labels;  // one a token, as VisibleCharacters shows it
  int64_t vocab = 0;                // of the tokenizer
};

// For --help.
FlagGroup ShownTextFlagGroup();

// --length, from 1 to kLongestText; ends the program through Die where it is not.
int64_t ShownLength();

// The text in a model's alphabet, of at most `context` characters; without a model, in the data
// set's own alphabet or, for --text, the course's. Where --length is not given, a shorter context
// is the length. Errors are one sentence: characters that the alphabet does not have, a text that
// is empty or longer than the context, --text and --dataset at once, a data set that is not there.
absl::StatusOr<ShownText> ShownTextFromFlags(const datasets::CharTokenizer* tokenizer = nullptr,
                                             int64_t context = kLongestText);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_SHOWN_TEXT_H_
