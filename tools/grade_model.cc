#include "tools/grade_model.h"

#include <algorithm>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "autograd/error.h"
#include "models/gpt/config.h"
#include "tools/grade_reports.h"
#include "tools/grade_settings.h"
#include "tools/grading/model/judge_model.h"
#include "tools/grading/model/model_file.h"
#include "tools/grading/report.h"
#include "tools/grading/teacher.h"
#include "tools/model_flags.h"
#include "tools/paths.h"
#include "tools/status_line.h"

ABSL_FLAG(std::string, checkpoint, "", "model: the safetensors file to judge");
ABSL_FLAG(std::string, checks, "", "model: judge these only, as causality,cache; all by default");
ABSL_FLAG(bool, untrained, false, "model: the file holds initial values, so judge their loss");

namespace lemma::tools::grading {
namespace {

// Shorter work needs no progress line.
constexpr double kQuietSeconds = 2;

std::optional<models::GptConfig> AskedConfig() {
  if (!AnyModelFlagGiven()) return std::nullopt;
  absl::StatusOr<models::GptConfig> config = ModelConfigFromFlags();
  if (!config.ok()) Die(config.status());
  return *config;
}

std::set<std::string> ChecksFromFlag() {
  std::vector<std::string> names;
  for (const ModelCheck& check : ModelChecks()) names.push_back(check.id);
  std::set<std::string> chosen =
      absl::StrSplit(absl::GetFlag(FLAGS_checks), ',', absl::SkipWhitespace());
  for (const std::string& id : chosen) {
    const bool known = std::find(names.begin(), names.end(), id) != names.end();
    if (!known) Die(UnknownValueText("checks", id, names));
  }
  return chosen;
}

int JudgeFile(const std::optional<models::GptConfig>& asked, ModelJudgeOptions options,
              Detail detail) {
  const absl::StatusOr<ModelFile> file = LoadModelFile(ResolvePath(absl::GetFlag(FLAGS_checkpoint)),
                                                       asked, absl::GetFlag(FLAGS_untrained));
  if (!file.ok()) Die(file.status());

  StatusLineOptions line_options = StatusLineOptions::ForStderr();
  StatusLine line(line_options);
  options.status = [&, begin = line_options.now()](const std::string& what) {
    if (line_options.now() - begin > kQuietSeconds) line.Show(absl::StrCat("judging ", what));
  };
  const Report planned = PlannedReport(file->subject, options);
  options.progress = [&](const Report& so_far) {
    WritePartialReport(planned, Capped(so_far, detail));
  };
  const Report report = Capped(JudgeModel(file->subject, options), detail);
  line.Finish();
  WriteReports(planned, report);
  return report.passed() ? kPassed : kFailed;
}

}  // namespace

std::vector<FlagGroup> ModelFlagGroups() {
  FlagGroup config = ModelFlagGroup();
  config.title = "What a model should be (defaults are those of the preset)";
  return {{"A model", {"checkpoint", "checks", "untrained"}}, config};
}

int GradeModel() {
  RequireNotEmpty(FLAGS_checkpoint, "the safetensors file to judge");
  if (!IsGiven(FLAGS_checkpoint)) Die("model needs a file: grade model --checkpoint=FILE");
  const Teacher teacher = IsGiven("teacher") ? TeacherSettings() : Teacher();
  const Detail detail = AllowedDetail(teacher);
  ModelJudgeOptions options = {.seed = teacher.seed, .only = ChecksFromFlag()};
  const auto weights = teacher.weights.find("model");
  if (weights != teacher.weights.end()) options.weights = weights->second;
  const std::optional<models::GptConfig> asked = AskedConfig();
  try {
    return JudgeFile(asked, options, detail);
  } catch (const Error& error) {
    if (!IsLackOfMemory(error)) throw;
    Die(absl::StrCat("there is not enough memory to judge it: ", error.what()));
  } catch (const std::bad_alloc&) {
    Die("there is not enough memory to judge it");
  }
}

}  // namespace lemma::tools::grading
