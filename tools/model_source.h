// Where a program that looks at a GPT gets it from: --checkpoint=FILE, or --preset with its sizes
// and --init_seed, which makes an untrained one. Defines the flags checkpoint and init_seed.
#ifndef LEMMA_TOOLS_MODEL_SOURCE_H_
#define LEMMA_TOOLS_MODEL_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "datasets/char_tokenizer.h"
#include "models/gpt/gpt.h"
#include "tools/flags.h"

namespace lemma::tools {

struct LoadedModel {
  std::unique_ptr<models::Gpt> gpt;  // in Eval(), without dropout
  datasets::CharTokenizer tokenizer;
  std::string name;  // "runs/course-1", "course, untrained, seed 1337"
};

// For --help.
FlagGroup ModelSourceFlagGroup();

// Whether any flag was given that LoadModel looks at.
bool AnyModelSourceFlagGiven();

// The model that the flags name. An untrained one has the course's 65 characters. Errors are one
// sentence: a checkpoint and a preset at once, a file that is none, sizes that can't be.
absl::StatusOr<LoadedModel> LoadModelFromFlags();

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_MODEL_SOURCE_H_
