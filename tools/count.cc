// Counts the parameters of a GPT, its work and its memory.
//
//   bazel run //tools:count
//   bazel run //tools:count -- --preset=gpt2 --shapes
//   bazel run //tools:count -- --preset=course --expect=816640     # exit 1 on another total

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "autograd/random.h"
#include "models/gpt/checkpoint.h"
#include "models/gpt/gpt.h"
#include "tools/count_report.h"
#include "tools/flags.h"
#include "tools/format.h"
#include "tools/model_flags.h"
#include "tools/paths.h"

ABSL_FLAG(std::string, checkpoint, "", "count the model in this file instead of a preset");
ABSL_FLAG(std::string, format, "table", "table, json or markdown");
ABSL_FLAG(bool, shapes, false, "show the shape of the stream after every stage");
ABSL_FLAG(int64_t, expect, 0, "exit 1 unless the total is this");

namespace lemma::tools {
namespace {

absl::StatusOr<std::unique_ptr<models::Gpt>> MakeModel() {
  RequireNotEmpty(FLAGS_checkpoint, "the file of a model");
  Generator generator(0);
  if (!IsGiven(FLAGS_checkpoint)) {
    absl::StatusOr<models::GptConfig> config = ModelConfigFromFlags();
    if (!config.ok()) return config.status();
    config->dropout = 0;
    return std::make_unique<models::Gpt>(*config, generator);
  }
  if (AnyModelFlagGiven()) {
    return absl::InvalidArgumentError(
        "--checkpoint brings its own model; --preset and sizes can't be given with it");
  }
  const std::string path = ResolvePath(absl::GetFlag(FLAGS_checkpoint));
  absl::StatusOr<models::GptCheckpoint> checkpoint = models::LoadGptCheckpoint(path);
  if (!checkpoint.ok()) return checkpoint.status();
  absl::StatusOr<std::unique_ptr<models::Gpt>> gpt = models::MakeGpt(*checkpoint);
  if (gpt.ok()) return gpt;
  return absl::InvalidArgumentError(absl::StrCat(DisplayPath(path), ": ", gpt.status().message()));
}

CountFormat Format() {
  RequireOneOf(FLAGS_format, {"table", "json", "markdown"});
  const std::string format = absl::GetFlag(FLAGS_format);
  if (format == "json") return CountFormat::kJson;
  return format == "markdown" ? CountFormat::kMarkdown : CountFormat::kTable;
}

// The exit status.
int Count() {
  const CountFormat format = Format();
  absl::StatusOr<std::unique_ptr<models::Gpt>> model = MakeModel();
  if (!model.ok()) Die(model.status());
  const CountReport report = CountGpt(**model);
  std::fputs(FormatCountReport(report, format, absl::GetFlag(FLAGS_shapes)).c_str(), stdout);
  if (report.total != report.formula) {
    std::fprintf(stderr, "count: the modules have %s parameters, the formula says %s\n",
                 FormatCount(report.total).c_str(), FormatCount(report.formula).c_str());
    return 1;
  }
  if (IsGiven(FLAGS_expect) && report.total != absl::GetFlag(FLAGS_expect)) {
    std::fprintf(stderr, "count: the total is %s, expected %s\n", FormatCount(report.total).c_str(),
                 FormatCount(absl::GetFlag(FLAGS_expect)).c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace lemma::tools

int main(int argc, char** argv) {
  using namespace lemma::tools;
  ParseFlags(
      argc, argv,
      {.program = "count",
       .summary = "Counts the parameters of a GPT, its work and its memory.",
       .groups = {ModelFlagGroup(), {"Count", {"checkpoint", "format", "shapes", "expect"}}}});
  return RunMain(Count);
}
