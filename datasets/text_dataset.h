// A text as training data: its tokens, divided into a training and a validation part.
//
//   absl::StatusOr<TextDataset> data = MakeTextDataset("text:poems.txt", poems);
//   if (absl::Status status = CheckContext(*data, 64); !status.ok()) return status;
#ifndef LEMMA_DATASETS_TEXT_DATASET_H_
#define LEMMA_DATASETS_TEXT_DATASET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "datasets/char_tokenizer.h"

namespace lemma::datasets {

// What is known about the source of a text that was generated (see plays.h), in nats per character.
struct SourceEntropy {
  double rate = 0;
  double train = 0;
  double val = 0;
};

struct TextDataset {
  std::string name;    // as in --dataset; used in messages
  std::string origin;  // the file that was read, or where else the text is from
  std::string note;    // what to tell the user first; mostly empty
  std::string text;
  CharTokenizer tokenizer;
  std::vector<int64_t> train;  // the first int(0.9 n) tokens
  std::vector<int64_t> val;    // the others
  std::optional<SourceEntropy> entropy;
};

// Encodes and divides. The alphabet is that of the text, unless one is given: then a character that
// it does not have is an error. An empty text and bytes that are not UTF-8 are errors.
absl::StatusOr<TextDataset> MakeTextDataset(absl::string_view name, std::string text,
                                            std::optional<CharTokenizer> tokenizer = std::nullopt);

// Whether both parts have a window of `context` tokens and the one that follows. The error says how
// many tokens there are and how many are needed.
absl::Status CheckContext(const TextDataset& data, int64_t context);

// The bytes of a regular file; the error names it and the reason.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_TEXT_DATASET_H_
