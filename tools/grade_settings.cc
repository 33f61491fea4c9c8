#include "tools/grade_settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/grading/registry.h"
#include "tools/nearest.h"
#include "tools/paths.h"

ABSL_FLAG(std::string, detail, "diff", "how much to tell: verdict, where, why or diff");
ABSL_FLAG(std::string, homework, "", "the folder of the exercises; homework/ in the workspace");
ABSL_FLAG(std::string, teacher, "", "the teacher's settings; grading.json in the homework folder");

namespace lemma::tools::grading {

FlagGroup SettingsFlagGroup() { return {"Settings", {"detail", "homework", "teacher"}}; }

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::string ReadOrDie(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) Die(absl::StrCat("cannot read ", DisplayPath(path)));
  return text.str();
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

}  // namespace lemma::tools::grading
