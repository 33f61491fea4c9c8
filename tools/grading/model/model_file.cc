#include "tools/grading/model/model_file.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "autograd/random.h"
#include "models/gpt/checkpoint.h"
#include "nn/checkpoint.h"
#include "tools/format.h"
#include "tools/paths.h"

namespace lemma::tools::grading {
namespace {

using models::GptCheckpoint;
using models::GptConfig;

// A config may promise far more than any file holds.
constexpr int64_t kMostBeyondTheFile = int64_t{1} << 28;

std::vector<ParameterShape> ShapesIn(const GptCheckpoint& checkpoint) {
  std::vector<ParameterShape> shapes;
  for (const nn::NamedTensor& named : checkpoint.contents.tensors) {
    if (absl::StartsWith(named.name, models::kOptimizerPrefix)) continue;
    shapes.push_back({named.name, named.value.shape()});
  }
  return shapes;
}

// The parameters of such a model, under the course's per-head names where the file has those.
std::vector<ParameterShape> RightShapes(const GptConfig& config,
                                        const std::vector<ParameterShape>& given) {
  std::set<std::string> names;
  for (const ParameterShape& parameter : given) names.insert(parameter.name);
  Generator unused(0);
  GptConfig without_dropout = config;
  without_dropout.dropout = 0;
  const models::Gpt gpt(without_dropout, unused);
  std::vector<nn::NamedTensor> right;
  for (const nn::Module::ParameterNames& parameter : gpt.AllNames()) {
    const bool as_views = names.count(parameter.parameter.name) == 0 &&
                          std::any_of(parameter.views.begin(), parameter.views.end(),
                                      [&](const auto& view) { return names.count(view.name) > 0; });
    if (as_views) {
      right.insert(right.end(), parameter.views.begin(), parameter.views.end());
    } else {
      right.push_back(parameter.parameter);
    }
  }
  return ShapesOf(right);
}

std::vector<std::string> DifferencesWithoutShape(const GptConfig& given, const GptConfig& right) {
  std::vector<std::string> differences;
  if (given.heads != right.heads) {
    differences.push_back(
        absl::StrCat("its config has ", given.heads, " heads where ", right.heads, " are right"));
  }
  if (given.gelu_tanh != right.gelu_tanh) {
    differences.push_back(absl::StrCat("its config has the ", given.gelu_tanh ? "tanh" : "exact",
                                       " GELU where the ", right.gelu_tanh ? "tanh" : "exact",
                                       " one is right"));
  }
  return differences;
}

absl::Status CheckSize(const GptConfig& config, const std::vector<ParameterShape>& given) {
  const int64_t asked = models::ParameterFormula(config), has = CountOf(given);
  if (asked <= std::max(2 * has, kMostBeyondTheFile)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a model of its config has ", FormatCount(asked),
                                                 " parameters, the file holds ", FormatCount(has),
                                                 " numbers"));
}

bool IsStepZero(const GptCheckpoint& checkpoint) {
  const auto step = checkpoint.contents.metadata.find("step");
  return step != checkpoint.contents.metadata.end() && step->second == "0";
}

absl::StatusOr<GptCheckpoint> Read(const std::string& path, const std::optional<GptConfig>& asked) {
  absl::StatusOr<nn::Checkpoint> contents = nn::LoadCheckpoint(path);
  if (!contents.ok()) return contents.status();
  if (contents->metadata.count("config") == 0) {
    if (!asked.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(DisplayPath(path),
                       ": there is no \"config\" in its metadata; say by --preset, and flags of "
                       "sizes that differ, which model it should be"));
    }
    contents->metadata["config"] = asked->ToJson();
  }
  absl::StatusOr<GptCheckpoint> checkpoint = models::AsGptCheckpoint(*std::move(contents));
  if (!checkpoint.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(DisplayPath(path), ": ", checkpoint.status().message()));
  }
  return checkpoint;
}

// A model of the file's config, else of the one that is asked for; null where the tensors fit
// neither.
absl::StatusOr<std::unique_ptr<GptModel>> MakeModel(GptCheckpoint& checkpoint,
                                                    const GptConfig& right, bool fits) {
  absl::StatusOr<std::unique_ptr<models::Gpt>> gpt = models::MakeGpt(checkpoint);
  if (!gpt.ok() && fits) {
    checkpoint.config = right;
    gpt = models::MakeGpt(checkpoint);
  }
  if (gpt.ok()) return std::make_unique<GptModel>(*std::move(gpt));
  if (fits) return gpt.status();
  return std::unique_ptr<GptModel>();
}

}  // namespace

absl::StatusOr<ModelFile> LoadModelFile(const std::string& path,
                                        const std::optional<GptConfig>& asked, bool untrained) {
  absl::StatusOr<GptCheckpoint> checkpoint = Read(path, asked);
  if (!checkpoint.ok()) return checkpoint.status();
  const GptConfig right = asked.value_or(checkpoint->config);
  ModelFile file;
  ModelSubject& subject = file.subject;
  subject.name = std::string(absl::StripSuffix(DisplayPath(path), "/checkpoint.safetensors"));
  subject.given = ShapesIn(*checkpoint);
  for (const GptConfig& config : {right, checkpoint->config}) {
    if (absl::Status size = CheckSize(config, subject.given); !size.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(DisplayPath(path), ": ", size.message()));
    }
  }
  subject.right = RightShapes(right, subject.given);
  subject.other_differences = DifferencesWithoutShape(checkpoint->config, right);
  subject.untrained = untrained || IsStepZero(*checkpoint);
  const bool fits = CompareParameters(subject.given, subject.right).passed;
  absl::StatusOr<std::unique_ptr<GptModel>> model = MakeModel(*checkpoint, right, fits);
  if (!model.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(DisplayPath(path), ": ", model.status().message()));
  }
  file.model = *std::move(model);
  subject.model = file.model.get();
  return file;
}

}  // namespace lemma::tools::grading
