#include "tools/model_source.h"

#include <cstdint>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "autograd/random.h"
#include "models/gpt/checkpoint.h"
#include "tools/model_flags.h"
#include "tools/paths.h"

ABSL_FLAG(std::string, checkpoint, "", "file of a trained model");
ABSL_FLAG(int64_t, init_seed, 1337, "of the initial values of an untrained --preset");

namespace lemma::tools {
namespace {

absl::StatusOr<LoadedModel> LoadFromFile(const std::string& path) {
  absl::StatusOr<models::GptCheckpoint> checkpoint = models::LoadGptCheckpoint(path);
  if (!checkpoint.ok()) return checkpoint.status();
  absl::StatusOr<datasets::CharTokenizer> tokenizer =
      datasets::CharTokenizer::FromAlphabet(checkpoint->alphabet);
  if (!tokenizer.ok() || tokenizer->size() != checkpoint->config.vocab) {
    return absl::InvalidArgumentError(absl::StrCat(DisplayPath(path),
                                                   ": its alphabet does not fit its vocabulary of ",
                                                   checkpoint->config.vocab));
  }
  const absl::Status finite = models::CheckFinite(*checkpoint);
  absl::StatusOr<std::unique_ptr<models::Gpt>> gpt = models::MakeGpt(*checkpoint);
  if (gpt.ok() && !finite.ok()) gpt = finite;
  if (!gpt.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(DisplayPath(path), ": ", gpt.status().message()));
  }
  // In a run's folder the file has a name that says nothing.
  const std::string name = DisplayPath(path);
  return LoadedModel{*std::move(gpt), *std::move(tokenizer),
                     std::string(absl::StripSuffix(name, "/checkpoint.safetensors"))};
}

absl::StatusOr<LoadedModel> Untrained() {
  absl::StatusOr<models::GptConfig> config = ModelConfigFromFlags();
  if (!config.ok()) return config.status();
  datasets::CharTokenizer tokenizer = datasets::CharTokenizer::Course();
  if (config->vocab != tokenizer.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("an untrained model writes with the ", tokenizer.size(),
                     " characters of the course; this one has a vocabulary of ", config->vocab,
                     ": pass --vocab=", tokenizer.size()));
  }
  config->dropout = 0;
  const int64_t seed = absl::GetFlag(FLAGS_init_seed);
  Generator generator(seed);
  return LoadedModel{std::make_unique<models::Gpt>(*config, generator), std::move(tokenizer),
                     absl::StrCat(absl::GetFlag(FLAGS_preset), ", untrained, seed ", seed)};
}

}  // namespace

FlagGroup ModelSourceFlagGroup() { return {"Source", {"checkpoint", "init_seed"}}; }

bool AnyModelSourceFlagGiven() {
  return IsGiven(FLAGS_checkpoint) || IsGiven(FLAGS_init_seed) || AnyModelFlagGiven();
}

absl::StatusOr<LoadedModel> LoadModelFromFlags() {
  RequireNotEmpty(FLAGS_checkpoint, "the file of a trained model");
  if (IsGiven(FLAGS_checkpoint) && (AnyModelFlagGiven() || IsGiven(FLAGS_init_seed))) {
    return absl::InvalidArgumentError(
        "--checkpoint brings its own model; --preset, --init_seed and sizes can't be given with "
        "it");
  }
  absl::StatusOr<LoadedModel> model =
      IsGiven(FLAGS_checkpoint) ? LoadFromFile(ResolvePath(absl::GetFlag(FLAGS_checkpoint)))
                                : Untrained();
  if (model.ok()) model->gpt->Eval();
  return model;
}

}  // namespace lemma::tools
