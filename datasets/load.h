// Data sets by name, as the tools' --dataset takes them.
//
//   DatasetRequest request;
//   request.name = "text:/home/me/poems.txt";
//   absl::StatusOr<TextDataset> data = Load(request);
//
//   tinyshakespeare  the course's text: in the data folder, else downloaded to it
//   plays            the corpus of plays.h, made on the spot
//   text:PATH        a text file of the user's own, in UTF-8; a byte order mark at its start, as
//                    some editors write it, is left out and is no character of the text
//   ""               tinyshakespeare if it can be had, else plays, and then `note` says so and why
#ifndef LEMMA_DATASETS_LOAD_H_
#define LEMMA_DATASETS_LOAD_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "datasets/char_tokenizer.h"
#include "datasets/plays.h"
#include "datasets/text_dataset.h"
#include "datasets/tiny_shakespeare.h"

namespace lemma::datasets {

struct DatasetRequest {
  std::string name;
  std::string data_dir;  // "": see DataDir
  std::string data_url = kTinyShakespeareUrl;
  int connect_timeout_s = 30;
  uint64_t plays_seed = kPlaysSeed;
  // If > 0, both parts must be longer than this many tokens.
  int64_t context = 0;
  // The alphabet to encode with, as a checkpoint has it; else that of the text (of `plays`, the
  // course's). A text that it does not fit is an error that says how the alphabets differ.
  std::optional<CharTokenizer> tokenizer;
  // Called before a download starts, with a sentence to show; then as in download.h.
  std::function<void(const std::string& sentence)> announce;
  std::function<void(int64_t done_bytes, int64_t total_bytes)> progress;
};

// Errors are sentences that say what was asked for, what is wrong and the way out. A relative PATH
// is relative to the working folder: a tool that `bazel run` starts makes it absolute first.
absl::StatusOr<TextDataset> Load(const DatasetRequest& request);

// The data folder: `data_dir` if not empty, else the environment's LEMMA_DATA, else
// $XDG_CACHE_HOME/lemma, else $HOME/.cache/lemma. An error if none of them is set.
absl::StatusOr<std::string> DataDir(const std::string& data_dir);

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_LOAD_H_
