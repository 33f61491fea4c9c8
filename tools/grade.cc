// Grades exercises of the course: builds a learner's code, runs it apart, judges it, and says what
// the mistake is.
//
//   bazel run //tools:grade -- list
//   bazel run //tools:grade -- start causal_attention
//   bazel run //tools:grade -- check causal_attention --detail=why
//
// Exit status: 0 all checks passed, 1 some failed, 2 nothing could be graded, 3 the grader broke.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "autograd/threads.h"
#include "nn/atomic_file.h"
#include "tools/flags.h"
#include "tools/grade_check.h"
#include "tools/grade_class.h"
#include "tools/grade_model.h"
#include "tools/grade_settings.h"
#include "tools/grade_watch.h"
#include "tools/grading/child_main.h"
#include "tools/grading/exercise.h"
#include "tools/grading/learner_folder.h"
#include "tools/grading/process_examinee.h"
#include "tools/grading/prove.h"
#include "tools/grading/registry.h"
#include "tools/nearest.h"
#include "tools/paths.h"
#include "tools/status_line.h"

ABSL_FLAG(std::string, write, "", "prove: write the tables into this README");

namespace lemma::tools::grading {
namespace {

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
      absl::PrintF("%s: it %s.\n  Right is one that %s.\n%s", id, Described(setting, ordinary),
                   knob.right, setting.note.empty() ? "" : absl::StrCat("  ", setting.note, "\n"));
      return;
    }
  }
  for (const Check& check : exercise.checks) {
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

int Watch(std::vector<std::string> arguments, const Exercise& exercise) {
  const std::string source = Homework().SourceOf(exercise.name);
  if (!Exists(source)) {
    Die(absl::StrCat(exercise.name, " is not started: grade start ", exercise.name));
  }
  arguments[0] = "check";
  return WatchSource(source, arguments);
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
  StatusLine line(StatusLineOptions::ForStderr());
  const auto progress = [&](const std::string& specimen) { line.Show(specimen); };
  for (const Exercise& exercise : AllExercises()) {
    if (words.size() > 1 && exercise.name != words[1]) continue;
    const Proof proof = Prove(exercise, "/proc/self/exe", progress);
    for (const std::string& fault : proof.faults) line.Print(fault);
    faults += static_cast<int>(proof.faults.size());
    absl::StrAppend(&matrices, "\n### ", exercise.name, "\n\n", KillMatrix(exercise, proof));
    for (const Check& check : exercise.checks) {
      if (check.redundant.empty()) continue;
      absl::StrAppend(&matrices, "\n`", check.id, "` is redundant, and stays: it ", check.redundant,
                      ".\n");
    }
    proofs.push_back(proof);
  }
  if (proofs.empty()) Die(absl::StrCat("there is no exercise ", words[1]));
  line.Finish();
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
    Die("it needs a command: list, start, check, watch, hint, explain, export, class, model, "
        "status, reset or prove; --help says more");
  const std::string& command = words[0];
  if (command == "list") return List();
  if (command == "status") return Status();
  if (command == "prove") return ProveAll(words);
  if (command == "start") return Start(ExerciseNamed(words));
  if (command == "reset") return Reset(ExerciseNamed(words));
  if (command == "check") return CheckExercise(ExerciseNamed(words));
  if (command == "class") {
    const Exercise& exercise = ExerciseNamed(words);
    if (words.size() < 3) Die("class needs a folder: grade class EXERCISE DIR");
    return GradeClass(exercise, ResolvePath(words[2]));
  }
  if (command == "model") return GradeModel();
  if (command == "export") return ExportExercise(ExerciseNamed(words));
  if (command == "watch") return Watch(arguments, ExerciseNamed(words));
  if (command == "hint") return Hint(ExerciseNamed(words));
  if (command == "explain") return Explain(ExerciseNamed(words), words);
  const std::string nearest =
      NearestName(command, {"list", "status", "prove", "start", "reset", "check", "watch", "hint",
                            "explain", "export", "class", "model"});
  Die(absl::StrCat("there is no command ", command,
                   nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?")));
}

// A grader that crashes ends with its own status, which is no verdict.
void OnCrash(int) {
  constexpr absl::string_view kLine = "grade: the grader broke\n";
  if (write(STDERR_FILENO, kLine.data(), kLine.size()) < 0) _exit(kBroken);
  _exit(kBroken);
}

void NameCrashes() {
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction action = {};
    sigaction(number, nullptr, &action);
    // A sanitizer has handlers of its own.
    if (action.sa_handler == SIG_DFL) signal(number, OnCrash);
  }
}

// Moves what is no flag to `words`. Words may stand before, between and behind flags; the word
// behind a flag without = is its value.
std::vector<const char*> FlagsAmong(int argc, char** argv, std::vector<std::string>& words) {
  std::vector<const char*> flags = {argv[0]};
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    if (!absl::StartsWith(argument, "-")) {
      words.emplace_back(argument);
      continue;
    }
    flags.push_back(argv[i]);
    const bool has_value = absl::StrContains(argument, "=");
    if (!has_value && i + 1 < argc && argv[i + 1][0] != '-') flags.push_back(argv[++i]);
  }
  return flags;
}

int RunAndNameFailures(const std::vector<std::string>& words,
                       const std::vector<std::string>& arguments) {
  try {
    return Run(words, arguments);
  } catch (const NotGradable& why) {
    Die(why.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "grade: the grader broke: %s\n", error.what());
    return kBroken;
  }
}

}  // namespace
}  // namespace lemma::tools::grading

int main(int argc, char** argv) {
  using namespace lemma::tools;
  if (grading::IsChild(argc, argv)) return grading::ChildMain(argc, argv);
  grading::NameCrashes();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  std::vector<std::string> words;
  const std::vector<const char*> flags = grading::FlagsAmong(argc, argv, words);
  std::vector<FlagGroup> groups = grading::CheckFlagGroups();
  groups.insert(groups.begin(), grading::SettingsFlagGroup());
  groups.push_back(grading::ClassFlagGroup());
  groups.push_back({"Proof", {"write"}});
  for (FlagGroup& group : grading::ModelFlagGroups()) groups.push_back(std::move(group));
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
           "  grade export EXERCISE      writes its inputs for other languages, see --outputs\n"
           "  grade class EXERCISE DIR   judges a folder of submissions, counts the mistakes\n"
           "  grade model --checkpoint=FILE  judges a model: loss, causality, cache, gradient\n"
           "  grade status               how far you are\n"
           "  grade reset EXERCISE       the starter again; yours is kept beside it\n"
           "  grade prove [EXERCISE]     grades the grader with solutions of known grade\n\n"
           "Exit status: 0 passed, 1 failed, 2 not gradable, 3 the grader broke.",
       .groups = groups});
  // Children are forked, and one thread gives the same bits. A model is judged in this process.
  if (words.empty() || words[0] != "model") lemma::SetNumThreads(1);
  // A report that nobody can read is no success either.
  return RunMain([&] { return grading::RunAndNameFailures(words, arguments); });
}
