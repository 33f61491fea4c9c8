// Files of GPTs: a safetensors file with the parameters under their names ("tok.weight",
// "blocks.0.attn.qkv.weight"), and in its metadata the config and the alphabet.
#ifndef LEMMA_MODELS_GPT_CHECKPOINT_H_
#define LEMMA_MODELS_GPT_CHECKPOINT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autograd/random.h"
#include "models/gpt/gpt.h"
#include "nn/checkpoint.h"

namespace lemma::models {

// Tensors whose names start with this are the optimizer's; a model leaves them alone.
inline constexpr char kOptimizerPrefix[] = "optimizer.";

struct GptCheckpoint {
  GptConfig config = {};
  std::string alphabet = {};     // the characters of the tokens 0 to V-1, in UTF-8; may be empty
  nn::Checkpoint contents = {};  // all tensors and texts of the file
};

// The parameters of a model, its config and its alphabet, to which a trainer adds its own.
// `course_names` writes one matrix per head, as the course's state dict has them.
nn::Checkpoint MakeGptCheckpoint(const Gpt& model, const std::string& alphabet,
                                 bool course_names = false);

// A GPT's file that has been read, with its config. An error says what is wrong with it.
absl::StatusOr<GptCheckpoint> AsGptCheckpoint(nn::Checkpoint contents);

// Reads a file and its config. Errors name the file and what is wrong with it.
absl::StatusOr<GptCheckpoint> LoadGptCheckpoint(const std::string& path);

// Whether every value of the parameters is finite; else names the first that is not.
absl::Status CheckFinite(const GptCheckpoint& checkpoint);

// Copies the checkpoint's parameters into a model of the same sizes; the course's per-head names
// are understood too. Missing, unexpected and misshaped names are reported all at once.
absl::Status LoadParameters(const GptCheckpoint& checkpoint, Gpt& model);

// A model with the checkpoint's config and parameters.
absl::StatusOr<std::unique_ptr<Gpt>> MakeGpt(const GptCheckpoint& checkpoint,
                                             Generator* dropout_generator = nullptr);

}  // namespace lemma::models

#endif  // LEMMA_MODELS_GPT_CHECKPOINT_H_
