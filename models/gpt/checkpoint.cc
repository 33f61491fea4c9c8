#include "models/gpt/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/dtype.h"
#include "autograd/ops/cast.h"
#include "nn/state_dict.h"

namespace lemma::models {

nn::Checkpoint MakeGptCheckpoint(const Gpt& model, const std::string& alphabet, bool course_names) {
  nn::Checkpoint checkpoint;
  checkpoint.tensors = course_names ? model.NamedParameterViews() : model.NamedParameters();
  checkpoint.metadata["config"] = model.config().ToJson();
  checkpoint.metadata["alphabet"] = alphabet;
  return checkpoint;
}

absl::StatusOr<GptCheckpoint> AsGptCheckpoint(nn::Checkpoint contents) {
  const auto config_json = contents.metadata.find("config");
  if (config_json == contents.metadata.end()) {
    return absl::InvalidArgumentError(
        "there is no \"config\" in its metadata, so it is not a GPT of this program");
  }
  absl::StatusOr<GptConfig> config = GptConfig::FromJson(config_json->second);
  if (!config.ok()) return config.status();
  GptCheckpoint checkpoint{.config = *config};
  const auto alphabet = contents.metadata.find("alphabet");
  if (alphabet != contents.metadata.end()) checkpoint.alphabet = alphabet->second;
  checkpoint.contents = std::move(contents);
  return checkpoint;
}

absl::StatusOr<GptCheckpoint> LoadGptCheckpoint(const std::string& path) {
  absl::StatusOr<nn::Checkpoint> contents = nn::LoadCheckpoint(path);
  if (!contents.ok()) return contents.status();
  absl::StatusOr<GptCheckpoint> checkpoint = AsGptCheckpoint(*std::move(contents));
  if (!checkpoint.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", checkpoint.status().message()));
  }
  return checkpoint;
}

absl::Status CheckFinite(const GptCheckpoint& checkpoint) {
  for (const nn::NamedTensor& named : checkpoint.contents.tensors) {
    if (absl::StartsWith(named.name, kOptimizerPrefix) || !IsFloat(named.value.dtype())) continue;
    const std::vector<float> values = Cast(named.value, DType::kFloat32).ToVector<float>();
    const auto bad =
        std::find_if(values.begin(), values.end(), [](float x) { return !std::isfinite(x); });
    if (bad == values.end()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the parameter ", named.name, " is ", *bad, " at element ",
                     bad - values.begin(), " of its ", values.size(),
                     ", and every value must be finite; take a checkpoint from before the training "
                     "broke down"));
  }
  return absl::OkStatus();
}

absl::Status LoadParameters(const GptCheckpoint& checkpoint, Gpt& model) {
  std::vector<nn::NamedTensor> parameters;
  for (const nn::NamedTensor& named : checkpoint.contents.tensors) {
    if (!absl::StartsWith(named.name, kOptimizerPrefix)) parameters.push_back(named);
  }
  return nn::LoadStateDict(model, parameters);
}

absl::StatusOr<std::unique_ptr<Gpt>> MakeGpt(const GptCheckpoint& checkpoint,
                                             Generator* dropout_generator) {
  // A config may promise far more than the file holds; look before anything is allocated.
  int64_t elements = 0;
  for (const nn::NamedTensor& named : checkpoint.contents.tensors) elements += named.value.numel();
  if (ParameterFormula(checkpoint.config) > elements) {
    return absl::InvalidArgumentError(absl::StrCat("the config asks for ",
                                                   ParameterFormula(checkpoint.config),
                                                   " parameters, the checkpoint has ", elements));
  }
  Generator unused(0);
  GptConfig config = checkpoint.config;
  if (dropout_generator == nullptr) config.dropout = 0;  // for use, not for training
  auto model = std::make_unique<Gpt>(config, unused, dropout_generator);
  if (absl::Status loaded = LoadParameters(checkpoint, *model); !loaded.ok()) return loaded;
  return model;
}

}  // namespace lemma::models
