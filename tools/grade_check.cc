#include "tools/grade_check.h"

#include <memory>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/grade_reports.h"
#include "tools/grade_settings.h"
#include "tools/grading/answer.h"
#include "tools/grading/build.h"
#include "tools/grading/child_main.h"
#include "tools/grading/child_process.h"
#include "tools/grading/files.h"
#include "tools/grading/judge.h"
#include "tools/grading/learner_folder.h"
#include "tools/grading/process_examinee.h"
#include "tools/grading/report.h"
#include "tools/grading/specimen.h"
#include "tools/grading/teacher.h"
#include "tools/paths.h"
#include "tools/status_line.h"

ABSL_FLAG(std::string, program, "", "judge this program, built before, and do not call Bazel");
ABSL_FLAG(std::string, specimen, "",
          "judge this solution of known grade, of those that prove uses");
ABSL_FLAG(std::string, outputs, "", "judge the outputs in this .npz or .safetensors, see export");
ABSL_FLAG(std::string, out, "", "export: the file of the inputs");

namespace lemma::tools::grading {
namespace {

std::string SpecimenOrDie(const Exercise& exercise, const std::string& name) {
  std::vector<std::string> names;
  for (const Specimen& specimen : Specimens::Of(exercise.name)) {
    if (specimen.name == name) return specimen.child_name();
    names.push_back(specimen.name);
  }
  Die(absl::StrCat(UnknownValueText("specimen", name, names)));
}

std::string BuildOrDie(const Exercise& exercise) {
  const std::string given = absl::GetFlag(FLAGS_program);
  if (!given.empty()) return ResolvePath(given);
  const LearnerFolder homework = Homework();
  if (!homework.IsStarted(exercise.name)) {
    Die(absl::StrCat(exercise.name, " is not started: grade start ", exercise.name));
  }
  if (absl::Status header = homework.CheckHeader(exercise); !header.ok()) Die(header);
  const Workshop workshop = WorkshopFromFlags();
  std::string package = homework.FolderOf(exercise.name);
  if (!absl::StartsWith(package, workshop.workspace + "/")) {
    Die("the homework folder must lie in the workspace, where Bazel builds");
  }
  package = package.substr(workshop.workspace.size() + 1);
  const absl::StatusOr<std::string> program = BuildProgram(workshop, package, exercise.name);
  if (!program.ok()) Die(program.status());
  return *program;
}

// The program to judge, and the function in it.
ChildCommand Candidate(const Exercise& exercise) {
  const std::string specimen = absl::GetFlag(FLAGS_specimen);
  if (!specimen.empty()) {
    return {"/proc/self/exe", {ChildArgument(SpecimenOrDie(exercise, specimen))}};
  }
  const std::string program = BuildOrDie(exercise);
  if (!Exists(program)) Die(absl::StrCat("there is no program ", DisplayPath(program)));
  return {program, {ChildArgument(absl::StrCat(exercise.name, "/homework"))}};
}

void Remember(const Exercise& exercise, const Report& full, const Teacher& teacher) {
  for (const auto* flag : {&FLAGS_program, &FLAGS_specimen, &FLAGS_outputs}) {
    if (!absl::GetFlag(*flag).empty()) return;
  }
  const LearnerFolder homework = Homework();
  auto progress = homework.ReadProgress();
  Progress& own = progress[exercise.name];
  ++own.attempts;
  own.passed = full.passed();
  own.last = absl::StrCat(full.CountOf(Verdict::kPassed), " of ", full.checks.size(), " checks");
  const Report shown = Capped(full, teacher.detail);
  own.diagnosis = shown.diagnosis.text;
  own.mistakes.clear();
  for (const Explanation& explanation : shown.diagnosis.explanations) {
    for (const std::string& id : explanation.mistakes.ids()) own.mistakes.push_back(id);
  }
  if (absl::Status written = homework.WriteProgress(progress); !written.ok()) Die(written);
}

std::unique_ptr<Examinee> OutputsIn(const std::string& outputs) {
  absl::StatusOr<Values> values = ParseOutputs(ReadOrDie(outputs));
  if (!values.ok()) Die(absl::StrCat(DisplayPath(outputs), ": ", values.status().message()));
  return std::make_unique<FileExaminee>(*std::move(values));
}

std::unique_ptr<Examinee> MakeExaminee(const Exercise& exercise) {
  const std::string outputs = ResolvePath(absl::GetFlag(FLAGS_outputs));
  if (!outputs.empty()) return OutputsIn(outputs);
  return std::make_unique<ProcessExaminee>(Candidate(exercise));
}

}  // namespace

std::vector<FlagGroup> CheckFlagGroups() {
  return {ReportFlagGroup(), {"What is judged", {"program", "outputs", "specimen", "out"}}};
}

int CheckExercise(const Exercise& exercise) {
  const Teacher teacher = TeacherSettings();
  const Detail detail = AllowedDetail(teacher);
  const std::unique_ptr<Examinee> examinee = MakeExaminee(exercise);
  JudgeOptions options = OptionsFor(exercise, *examinee, teacher);
  options.witness = detail >= Detail::kDiff;
  const Report planned = PlannedReport(exercise, options);
  const StatusLineOptions line_options = StatusLineOptions::ForStderr();
  StatusLine line(line_options);
  options.progress = [&](const Report& so_far) {
    WritePartialReport(planned, Capped(so_far, detail));
    if (!line_options.is_terminal) return;
    line.Show(absl::StrCat(so_far.checks.size(), " of ", planned.checks.size(), " checks judged"),
              so_far.checks.size() == planned.checks.size());
  };
  // Else one from before passes for this one, where the grader does not come to its first check.
  options.progress({.exercise = exercise.name});
  const Report full = Judge(exercise, *examinee, options);
  line.Finish();
  Remember(exercise, full, teacher);
  const Report report = Capped(full, detail);
  WriteReports(planned, report);
  return report.passed() ? kPassed : kFailed;
}

int ExportExercise(const Exercise& exercise) {
  const std::string path = ResolvePath(absl::GetFlag(FLAGS_out));
  if (path.empty()) Die("export needs --out=FILE.safetensors");
  const absl::Status written = ExportInputs(exercise, TeacherSettings().seed, path);
  if (!written.ok()) Die(written);
  absl::PrintF(
      "%s holds the inputs, as PROBE.NAME; give back PROBE.%s and run\n"
      "  grade check %s --outputs=FILE\n",
      DisplayPath(path), absl::StrJoin(exercise.outputs, ", PROBE."), exercise.name);
  if (!exercise.functions.empty()) absl::PrintF("\n%s\n", exercise.functions);
  return kPassed;
}

}  // namespace lemma::tools::grading
