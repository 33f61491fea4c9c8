#include "tools/grade_settings.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "nn/atomic_file.h"
#include "tools/grading/registry.h"
#include "tools/nearest.h"
#include "tools/paths.h"

ABSL_FLAG(std::string, detail, "diff", "how much to tell: verdict, where, why or diff");
ABSL_FLAG(std::string, homework, "", "the folder of the exercises; homework/ in the workspace");
ABSL_FLAG(std::string, teacher, "", "the teacher's settings; grading.json in the homework folder");
ABSL_FLAG(std::string, bazel, "",
          "the command that builds; ./bazelw where there is one, else bazel");

namespace lemma::tools::grading {

FlagGroup SettingsFlagGroup() { return {"Settings", {"detail", "homework", "teacher", "bazel"}}; }

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string ReadOrDie(const std::string& path) {
  constexpr size_t kMostBytes = size_t{1} << 30;
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  std::string bytes, piece(1 << 20, '\0');
  size_t count = 0;
  while (file != nullptr && bytes.size() <= kMostBytes &&
         (count = std::fread(piece.data(), 1, piece.size(), file)) > 0) {
    bytes.append(piece, 0, count);
  }
  if (file == nullptr || std::ferror(file) != 0) {
    Die(absl::StrCat("cannot read ", DisplayPath(path), ": ", strerror(errno)));
  }
  std::fclose(file);
  if (bytes.size() > kMostBytes) Die(absl::StrCat(DisplayPath(path), " is larger than 1 GiB"));
  return bytes;
}

void WriteOrDie(const std::string& flag, const std::string& text) {
  if (flag.empty()) return;
  if (flag == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  if (absl::Status written = nn::WriteFileAtomically(ResolvePath(flag), text); !written.ok())
    Die(written);
}

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

LearnerFolder Homework() { return LearnerFolder(HomeworkFolder(), MacroLabel(Workspace())); }

Workshop WorkshopFromFlags() {
  const std::string workspace = Workspace();
  std::string bazel = absl::GetFlag(FLAGS_bazel);
  if (bazel.empty()) bazel = Exists(workspace + "/bazelw") ? "./bazelw" : "bazel";
  return {absl::StrSplit(bazel, ' ', absl::SkipEmpty()), workspace};
}

namespace {

// Dies where a weight is of no exercise or check there is, or nothing is left that counts.
void RequireRealWeights(const Teacher& teacher, const std::string& file) {
  for (const auto& [name, weights] : teacher.weights) {
    if (name == "model") continue;  // its checks are no exercise's
    const Exercise* exercise = FindExercise(name);
    if (exercise == nullptr) Die(absl::StrCat(file, ": weights: there is no exercise ", name));
    std::set<std::string> known;
    double sum = 0;
    for (const Check& check : exercise->checks) {
      known.insert(check.id);
      const auto own = weights.find(check.id);
      sum += own == weights.end() ? check.weight : own->second;
    }
    for (const auto& [check, weight] : weights) {
      if (known.count(check) > 0) continue;
      Die(absl::StrCat(file, ": weights: ", name, " has no check ", check, " (",
                       absl::StrJoin(known, ", "), ")"));
    }
    if (!(sum > 0)) Die(absl::StrCat(file, ": weights: no check of ", name, " counts"));
  }
}

}  // namespace

Teacher TeacherSettings() {
  std::string path = ResolvePath(absl::GetFlag(FLAGS_teacher));
  if (path.empty()) {
    path = HomeworkFolder() + "/grading.json";
    if (!Exists(path)) return {};
  }
  absl::StatusOr<Teacher> teacher = ParseTeacher(ReadOrDie(path));
  if (!teacher.ok()) Die(absl::StrCat(DisplayPath(path), ": ", teacher.status().message()));
  RequireRealWeights(*teacher, DisplayPath(path));
  return *teacher;
}

Detail AllowedDetail(const Teacher& teacher) {
  RequireOneOf(FLAGS_detail, {"verdict", "where", "why", "diff"});
  return std::min(*DetailFromName(absl::GetFlag(FLAGS_detail)), teacher.detail);
}

JudgeOptions OptionsFor(const Exercise& exercise, const Examinee& examinee,
                        const Teacher& teacher) {
  JudgeOptions options = {.seed = teacher.seed};
  const auto weights = teacher.weights.find(exercise.name);
  if (weights != teacher.weights.end()) options.weights = weights->second;
  if (!examinee.AnswersAnything()) options.left_out = {"deterministic", "clean"};
  return options;
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

}  // namespace lemma::tools::grading
