// Grades exercises of the course: builds a learner's code, runs it apart, judges it, and says what
// the mistake is.
//
//   bazel run //tools:grade -- list
//   bazel run //tools:grade -- start causal_attention
//   bazel run //tools:grade -- check causal_attention --detail=why
//
// Exit status: 0 all checks passed, 1 some failed, 2 nothing could be graded, 3 the grader broke.

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/threads.h"
#include "nn/atomic_file.h"
#include "tools/flags.h"
#include "tools/grading/build.h"
#include "tools/grading/child_main.h"
#include "tools/grading/child_process.h"
#include "tools/grading/files.h"
#include "tools/grading/json_report.h"
#include "tools/grading/judge.h"
#include "tools/grading/learner_folder.h"
#include "tools/grading/other_reports.h"
#include "tools/grading/process_examinee.h"
#include "tools/grading/prove.h"
#include "tools/grading/registry.h"
#include "tools/grading/specimen.h"
#include "tools/grading/teacher.h"
#include "tools/grading/terminal_report.h"
#include "tools/nearest.h"
#include "tools/paths.h"

ABSL_FLAG(std::string, detail, "diff", "how much to tell: verdict, where, why or diff");
ABSL_FLAG(std::string, json, "", "write the report as JSON to this file (- for stdout)");
ABSL_FLAG(std::string, program, "", "judge this program, built before, and do not call Bazel");
ABSL_FLAG(std::string, specimen, "",
          "judge this solution of known grade, of those that prove uses");
ABSL_FLAG(std::string, outputs, "", "judge the outputs in this .npz or .safetensors, see export");
ABSL_FLAG(std::string, out, "", "export: the file of the inputs");
ABSL_FLAG(std::string, gradescope, "", "write a results.json of Gradescope, anew after each check");
ABSL_FLAG(std::string, junit, "",
          "write JUnit XML to this file; Bazel's XML_OUTPUT_FILE where set");
ABSL_FLAG(std::string, markdown, "", "write the report as Markdown to this file");
ABSL_FLAG(std::string, homework, "", "the folder of the exercises; homework/ in the workspace");
ABSL_FLAG(std::string, teacher, "", "the teacher's settings; grading.json in the homework folder");
ABSL_FLAG(std::string, bazel, "",
          "the command that builds; ./bazelw where there is one, else bazel");
ABSL_FLAG(std::string, write, "", "prove: write the tables into this README");

namespace lemma::tools::grading {
namespace {

constexpr int kPassed = 0, kFailed = 1, kNotGradable = 2, kBroken = 3;

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string ReadOrDie(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) Die(absl::StrCat("cannot read ", DisplayPath(path)));
  return text.str();
}

// The root of the workspace that the user is in.
std::string Workspace() {
  const char* named = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::string folder = named != nullptr ? named : ResolvePath(".");
  if (!Exists(folder + "/WORKSPACE")) {
    Die("there is no Bazel workspace here; run it as ./bazelw run //tools:grade -- ...");
  }
  return folder;
}

std::string HomeworkFolder() {
  const std::string given = ResolvePath(absl::GetFlag(FLAGS_homework));
  return given.empty() ? Workspace() + "/homework" : given;
}

LearnerFolder Homework() {
  // In this very workspace its own label, elsewhere that of the repository.
  const bool own = Exists(Workspace() + "/tools/grading/defs.bzl");
  return LearnerFolder(HomeworkFolder(),
                       absl::StrCat(own ? "" : "@lemma", "//tools/grading:defs.bzl"));
}

Teacher TeacherSettings() {
  std::string path = ResolvePath(absl::GetFlag(FLAGS_teacher));
  if (path.empty()) {
    path = HomeworkFolder() + "/grading.json";
    if (!Exists(path)) return {};
  }
  absl::StatusOr<Teacher> teacher = ParseTeacher(ReadOrDie(path));
  if (!teacher.ok()) Die(absl::StrCat(DisplayPath(path), ": ", teacher.status().message()));
  return *teacher;
}

// What the user asked for, and no more than the teacher allows.
Detail AllowedDetail(const Teacher& teacher) {
  RequireOneOf(FLAGS_detail, {"verdict", "where", "why", "diff"});
  return std::min(*DetailFromName(absl::GetFlag(FLAGS_detail)), teacher.detail);
}

const Exercise& ExerciseNamed(const std::vector<std::string>& words) {
  if (words.size() < 2) Die(absl::StrCat(words[0], " needs an exercise; `grade list` shows them"));
  const Exercise* exercise = FindExercise(words[1]);
  if (exercise != nullptr) return *exercise;
  std::vector<std::string> names;
  for (const Exercise& known : AllExercises()) names.push_back(known.name);
  const std::string nearest = NearestName(words[1], names);
  Die(absl::StrCat("there is no exercise ", words[1],
                   nearest.empty() ? "; `grade list` shows them"
                                   : absl::StrCat("; did you mean ", nearest, "?")));
}

int List() {
  for (const Exercise& exercise : AllExercises()) {
    absl::PrintF("%-22s %s (%s)\n", exercise.name, exercise.title, exercise.source);
  }
  return kPassed;
}

int Start(const Exercise& exercise) {
  const LearnerFolder homework = Homework();
  const bool before = homework.IsStarted(exercise.name);
  if (absl::Status started = homework.Start(exercise); !started.ok()) Die(started);
  absl::PrintF(
      "%s is %s: read %s.h, write %s.cc there\n", DisplayPath(homework.FolderOf(exercise.name)),
      before ? "there already, your .cc is as it was" : "ready", exercise.name, exercise.name);
  return kPassed;
}

int Reset(const Exercise& exercise) {
  const absl::StatusOr<std::string> kept = Homework().Reset(exercise);
  if (!kept.ok()) Die(kept.status());
  absl::PrintF("%s is the starter again%s\n", exercise.name,
               kept->empty() ? "" : absl::StrCat("; yours is kept as ", DisplayPath(*kept)));
  return kPassed;
}

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
  const std::string workspace = Workspace();
  std::string package = homework.FolderOf(exercise.name);
  if (!absl::StartsWith(package, workspace + "/")) {
    Die("the homework folder must lie in the workspace, where Bazel builds");
  }
  package = package.substr(workspace.size() + 1);
  std::string bazel = absl::GetFlag(FLAGS_bazel);
  if (bazel.empty()) bazel = Exists(workspace + "/bazelw") ? "./bazelw" : "bazel";
  const absl::StatusOr<std::string> program = BuildProgram(
      absl::StrSplit(bazel, ' ', absl::SkipEmpty()), workspace, package, exercise.name);
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

void WriteTo(const std::string& flag, const std::string& text) {
  if (flag.empty()) return;
  if (flag == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  if (absl::Status written = nn::WriteFileAtomically(ResolvePath(flag), text); !written.ok())
    Die(written);
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

std::unique_ptr<Examinee> MakeExaminee(const Exercise& exercise) {
  const std::string outputs = ResolvePath(absl::GetFlag(FLAGS_outputs));
  if (outputs.empty()) return std::make_unique<ProcessExaminee>(Candidate(exercise));
  if (!CanBeExported(exercise)) Die(absl::StrCat(exercise.name, " needs functions, not files"));
  absl::StatusOr<Values> values = ParseOutputs(ReadOrDie(outputs));
  if (!values.ok()) Die(absl::StrCat(DisplayPath(outputs), ": ", values.status().message()));
  return std::make_unique<FileExaminee>(*std::move(values));
}

int Export(const Exercise& exercise) {
  const std::string path = ResolvePath(absl::GetFlag(FLAGS_out));
  if (path.empty()) Die("export needs --out=FILE.safetensors");
  if (!CanBeExported(exercise)) Die(absl::StrCat(exercise.name, " needs functions, not files"));
  const absl::Status written = ExportInputs(exercise, TeacherSettings().seed, path);
  if (!written.ok()) Die(written);
  absl::PrintF(
      "%s holds the inputs, as PROBE.NAME; give back PROBE.%s and run\n"
      "  grade check %s --outputs=FILE\n",
      DisplayPath(path), absl::StrJoin(exercise.outputs, ", PROBE."), exercise.name);
  return kPassed;
}

std::string JUnitFile() {
  const std::string given = absl::GetFlag(FLAGS_junit);
  const char* bazels = std::getenv("XML_OUTPUT_FILE");
  return given.empty() && bazels != nullptr ? bazels : given;
}

int Check(const Exercise& exercise) {
  const Teacher teacher = TeacherSettings();
  const Detail detail = AllowedDetail(teacher);
  const std::unique_ptr<Examinee> examinee = MakeExaminee(exercise);
  JudgeOptions options = {.seed = teacher.seed, .witness = detail >= Detail::kDiff};
  const auto weights = teacher.weights.find(exercise.name);
  if (weights != teacher.weights.end()) options.weights = weights->second;
  if (!examinee->AnswersAnything()) options.left_out = {"deterministic", "clean"};
  const std::string gradescope = absl::GetFlag(FLAGS_gradescope);
  // What a time limit from outside leaves is the part that was judged.
  options.progress = [&](const Report& so_far) {
    WriteTo(gradescope, GradescopeReport(exercise, Capped(so_far, detail), options));
  };
  const Report full = Judge(exercise, *examinee, options);
  Remember(exercise, full, teacher);
  const Report report = Capped(full, detail);
  const std::string json = absl::GetFlag(FLAGS_json);
  if (json != "-") std::fputs(TerminalReport(report, isatty(STDOUT_FILENO) == 1).c_str(), stdout);
  WriteTo(json, JsonReport(report));
  WriteTo(gradescope, GradescopeReport(exercise, report, options));
  WriteTo(JUnitFile(), JUnitReport(report));
  WriteTo(absl::GetFlag(FLAGS_markdown), MarkdownReport(report));
  return report.passed() ? kPassed : kFailed;
}

int Hint(const Exercise& exercise) {
  const LearnerFolder homework = Homework();
  auto progress = homework.ReadProgress();
  Progress& own = progress[exercise.name];
  const int64_t allowed =
      std::min<int64_t>(TeacherSettings().hints, static_cast<int64_t>(exercise.hints.size()));
  own.hints = std::min(own.hints + 1, allowed);
  for (int64_t i = 0; i < own.hints; ++i) {
    absl::PrintF("%d. %s\n", i + 1, exercise.hints[static_cast<size_t>(i)]);
  }
  if (own.hints == allowed) absl::PrintF("There are no more hints.\n");
  if (absl::Status made = CreateFolders(HomeworkFolder()); !made.ok()) Die(made);
  if (absl::Status written = homework.WriteProgress(progress); !written.ok()) Die(written);
  return kPassed;
}

void ExplainSetting(const Exercise& exercise, const std::string& id) {
  for (const Knob& knob : exercise.knobs) {
    for (const Setting& setting : knob.wrong) {
      if (absl::StrCat(knob.id, "/", setting.id) != id) continue;
      const Probe ordinary = exercise.probes(1)[0];
      absl::PrintF("%s: it %s.\n  Right is one that %s.\n%s", id, WithSizes(setting.what, ordinary),
                   knob.right, setting.note.empty() ? "" : absl::StrCat("  ", setting.note, "\n"));
      return;
    }
  }
  for (const grading::Check& check : exercise.checks) {
    if (check.id != id) continue;
    absl::PrintF("%s: %s.\n%s", id, check.title,
                 check.needs.empty() ? ""
                                     : absl::StrCat("  Judged where these passed: ",
                                                    absl::StrJoin(check.needs, ", "), ".\n"));
    return;
  }
  Die(absl::StrCat(exercise.name, " has no check and no mistake named ", id));
}

int Explain(const Exercise& exercise, const std::vector<std::string>& words) {
  if (words.size() > 2) {
    ExplainSetting(exercise, words[2]);
    return kPassed;
  }
  const Progress own = Homework().ReadProgress()[exercise.name];
  if (own.attempts == 0) Die(absl::StrCat(exercise.name, " has not been checked yet"));
  absl::PrintF("After attempt %d: %s. %s\n", own.attempts, own.last, own.diagnosis);
  for (const std::string& id : own.mistakes) ExplainSetting(exercise, id);
  return kPassed;
}

int Status() {
  const LearnerFolder homework = Homework();
  auto progress = homework.ReadProgress();
  for (const Exercise& exercise : AllExercises()) {
    const Progress& own = progress[exercise.name];
    const char* state = own.passed ? "passed" : homework.IsStarted(exercise.name) ? "started" : "-";
    absl::PrintF("%-22s %-8s %s\n", exercise.name, state,
                 own.attempts == 0 ? ""
                                   : absl::StrCat(own.last, ", ", own.attempts, " attempts, ",
                                                  own.hints, " hints"));
  }
  return kPassed;
}

// When the source was last changed, in nanoseconds.
int64_t ChangeTime(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return 0;
  return info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
}

// Checks whenever the source changes, in a process of its own, so that a build that fails does not
// end the watch. Until Ctrl-C.
int Watch(const std::vector<std::string>& arguments, const Exercise& exercise) {
  const std::string source = Homework().SourceOf(exercise.name);
  if (!Exists(source)) Die(absl::StrCat(exercise.name, " is not started"));
  std::vector<std::string> command = {"/proc/self/exe", "check"};
  command.insert(command.end(), arguments.begin() + 1, arguments.end());
  for (int64_t seen = -1;; usleep(300000)) {
    const int64_t now = ChangeTime(source);
    if (now == seen) continue;
    seen = now;
    std::fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
      std::vector<char*> words;
      for (std::string& word : command) words.push_back(word.data());
      words.push_back(nullptr);
      execv(words[0], words.data());
      _exit(127);
    }
    int status = 0;
    if (pid > 0) waitpid(pid, &status, 0);
    absl::PrintF("\nwatching %s; Ctrl-C ends it\n\n", DisplayPath(source));
    std::fflush(stdout);
  }
}

// Replaces what stands between the two marks.
std::string WithTables(const std::string& readme, const std::string& tables) {
  const std::string begin = "<!-- written by grade prove -->\n", end = "<!-- end -->\n";
  const size_t from = readme.find(begin), to = readme.find(end);
  if (from == std::string::npos || to == std::string::npos) Die("the README has no marks");
  return absl::StrCat(readme.substr(0, from + begin.size()), tables, readme.substr(to));
}

int ProveAll(const std::vector<std::string>& words) {
  std::vector<Proof> proofs;
  std::string matrices;
  int faults = 0;
  for (const Exercise& exercise : AllExercises()) {
    if (words.size() > 1 && exercise.name != words[1]) continue;
    const Proof proof = Prove(exercise, "/proc/self/exe");
    for (const std::string& fault : proof.faults) absl::FPrintF(stderr, "%s\n", fault);
    faults += static_cast<int>(proof.faults.size());
    absl::StrAppend(&matrices, "\n### ", exercise.name, "\n\n", KillMatrix(exercise, proof));
    for (const grading::Check& check : exercise.checks) {
      if (check.redundant.empty()) continue;
      absl::StrAppend(&matrices, "\n`", check.id, "` is redundant, and stays: it ", check.redundant,
                      ".\n");
    }
    proofs.push_back(proof);
  }
  if (proofs.empty()) Die(absl::StrCat("there is no exercise ", words[1]));
  std::fputs(ProofTable(proofs).c_str(), stdout);
  const std::string readme = ResolvePath(absl::GetFlag(FLAGS_write));
  if (!readme.empty()) {
    const std::string text =
        WithTables(ReadOrDie(readme), "\n" + ProofTable(proofs) + matrices + "\n");
    if (absl::Status written = nn::WriteFileAtomically(readme, text); !written.ok()) Die(written);
  }
  absl::PrintF("%s\n", faults == 0 ? "all proved" : absl::StrCat(faults, " faults"));
  return faults == 0 ? kPassed : kFailed;
}

int Run(const std::vector<std::string>& words, const std::vector<std::string>& arguments) {
  if (words.empty())
    Die("it needs a command: list, start, check, watch, hint, explain, status, "
        "reset or prove; --help says more");
  const std::string& command = words[0];
  if (command == "list") return List();
  if (command == "status") return Status();
  if (command == "prove") return ProveAll(words);
  if (command == "start") return Start(ExerciseNamed(words));
  if (command == "reset") return Reset(ExerciseNamed(words));
  if (command == "check") return Check(ExerciseNamed(words));
  if (command == "export") return Export(ExerciseNamed(words));
  if (command == "watch") return Watch(arguments, ExerciseNamed(words));
  if (command == "hint") return Hint(ExerciseNamed(words));
  if (command == "explain") return Explain(ExerciseNamed(words), words);
  const std::string nearest = NearestName(command, {"list", "status", "prove", "start", "reset",
                                                    "check", "watch", "hint", "explain", "export"});
  Die(absl::StrCat("there is no command ", command,
                   nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?")));
}

// A broken invariant ends the grader with its own status, which is no verdict.
void OnAbort(int) { _exit(kBroken); }

}  // namespace
}  // namespace lemma::tools::grading

int main(int argc, char** argv) {
  using namespace lemma::tools;
  if (grading::IsChild(argc, argv)) return grading::ChildMain(argc, argv);
  signal(SIGABRT, grading::OnAbort);
  std::vector<std::string> words, arguments(argv + 1, argv + argc);
  int first_flag = 1;
  while (first_flag < argc && argv[first_flag][0] != '-') words.push_back(argv[first_flag++]);
  std::vector<const char*> flags = {argv[0]};
  flags.insert(flags.end(), argv + first_flag, argv + argc);
  ParseFlags(
      static_cast<int>(flags.size()), flags.data(),
      {.program = "grade",
       .summary =
           "Grades exercises of the course, and names the mistake.\n\n"
           "  grade list                 the exercises\n"
           "  grade start EXERCISE       writes its files to homework/EXERCISE\n"
           "  grade check EXERCISE       builds it, runs it apart, judges it\n"
           "  grade watch EXERCISE       checks whenever the source changes\n"
           "  grade hint EXERCISE        one more hint\n"
           "  grade explain EXERCISE     what the last check found; or [ID], a check or mistake\n"
           "  grade status               how far you are\n"
           "  grade reset EXERCISE       the starter again; yours is kept beside it\n"
           "  grade prove [EXERCISE]     grades the grader with solutions of known grade\n\n"
           "Exit status: 0 passed, 1 failed, 2 not gradable, 3 the grader broke.",
       .groups = {{"Grading",
                   {"detail", "json", "gradescope", "junit", "markdown", "outputs", "program",
                    "specimen"}},
                  {"Files", {"homework", "teacher", "bazel", "out", "write"}}}});
  // Children are forked, and one thread gives the same bits.
  lemma::SetNumThreads(1);
  try {
    return grading::Run(words, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "grade: the grader broke: %s\n", error.what());
    return grading::kBroken;
  }
}
