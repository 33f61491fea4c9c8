#include "tools/shown_text.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "datasets/load.h"
#include "datasets/text_dataset.h"
#include "tools/data_flags.h"
#include "tools/figures/matrix_figure.h"
#include "tools/paths.h"

ABSL_FLAG(std::string, text, "", "the text, instead of the beginning of a data set");
ABSL_FLAG(int64_t, length, 48, "characters to take from the beginning of the data set");

namespace lemma::tools {
namespace {

absl::StatusOr<ShownText> TextOf(std::string name, const datasets::CharTokenizer& tokenizer,
                                 const std::string& characters) {
  absl::StatusOr<std::vector<int64_t>> tokens = tokenizer.Encode(characters);
  if (!tokens.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--text: ", tokens.status().message()));
  }
  if (tokens->empty()) return absl::InvalidArgumentError("--text is empty");
  return ShownText{std::move(name), *std::move(tokens), VisibleCharacters(characters),
                   tokenizer.size()};
}

// The beginning of the data set, in the tokenizer's alphabet where one is given, else its own.
absl::StatusOr<ShownText> TextOfDataset(const datasets::CharTokenizer* tokenizer, int64_t length) {
  datasets::DatasetRequest request = DataRequestFromFlags();
  if (tokenizer != nullptr) request.tokenizer = *tokenizer;
  request.announce = [](const std::string& sentence) {
    std::fprintf(stderr, "%s\n", sentence.c_str());
  };
  const absl::StatusOr<datasets::TextDataset> data = datasets::Load(request);
  if (!data.ok()) return data.status();
  if (!data->note.empty()) std::fprintf(stderr, "%s\n", data->note.c_str());
  std::vector<int64_t> tokens = data->train;
  tokens.insert(tokens.end(), data->val.begin(), data->val.end());
  if (static_cast<int64_t>(tokens.size()) > length) tokens.resize(length);
  const absl::StatusOr<std::string> characters = data->tokenizer.Decode(tokens);
  if (!characters.ok()) return characters.status();
  constexpr char kFile[] = "text:";
  const std::string name = absl::StartsWith(data->name, kFile)
                               ? DisplayPath(data->name.substr(sizeof(kFile) - 1))
                               : data->name;
  return TextOf(absl::StrCat("the beginning of ", name), data->tokenizer, *characters);
}

// A text as a title shows it: its first characters, with marks for those that can't be seen.
std::string Quotation(const std::string& text) {
  constexpr size_t kMost = 32;
  std::vector<std::string> characters = VisibleCharacters(text);
  const bool is_long = characters.size() > kMost;
  if (is_long) characters.resize(kMost);
  for (std::string& character : characters) {
    if (character == "␣") character = " ";
  }
  return absl::StrCat("“", absl::StrJoin(characters, ""), is_long ? "…”" : "”");
}

}  // namespace

FlagGroup ShownTextFlagGroup() { return {"Text", {"text", "length"}}; }

int64_t ShownLength() {
  RequireInRange(FLAGS_length, 1, kLongestText);
  return absl::GetFlag(FLAGS_length);
}

absl::StatusOr<ShownText> ShownTextFromFlags(const datasets::CharTokenizer* tokenizer,
                                             int64_t context) {
  int64_t length = ShownLength();
  if (IsGiven(FLAGS_text) && (IsGiven("dataset") || IsGiven(FLAGS_length))) {
    return absl::InvalidArgumentError(
        "--text is the text; --dataset and --length can't go with it");
  }
  if (!IsGiven(FLAGS_length)) length = std::min(length, context);
  absl::StatusOr<ShownText> text =
      IsGiven(FLAGS_text)
          ? TextOf(Quotation(absl::GetFlag(FLAGS_text)),
                   tokenizer != nullptr ? *tokenizer : datasets::CharTokenizer::Course(),
                   absl::GetFlag(FLAGS_text))
          : TextOfDataset(tokenizer, length);
  if (text.ok() && static_cast<int64_t>(text->tokens.size()) > context) {
    return absl::InvalidArgumentError(
        absl::StrCat("the text has ", text->tokens.size(), " characters, ",
                     tokenizer != nullptr ? "the model's context is " : "a figure shows at most ",
                     context, ": shorten it by ", IsGiven(FLAGS_text) ? "--text" : "--length"));
  }
  return text;
}

}  // namespace lemma::tools
