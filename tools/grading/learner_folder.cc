#include "tools/grading/learner_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "nn/atomic_file.h"
#include "tools/grading/registry.h"
#include "tools/paths.h"

namespace lemma::tools::grading {
namespace {

using Json = nlohmann::json;

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

absl::StatusOr<std::string> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || !text) {
    return absl::NotFoundError(absl::StrCat("cannot read ", DisplayPath(path)));
  }
  return text.str();
}

absl::Status Write(const std::string& path, const std::string& text) {
  return nn::WriteFileAtomically(path, text);
}

std::string BuildFile(const std::string& exercise, const std::string& macro) {
  return absl::StrCat("load(\"", macro,
                      "\", \"graded_exercise\")\n\ngraded_exercise(\n    name = \"", exercise,
                      "\",\n    srcs = [\"", exercise, ".cc\"],\n    hdrs = [\"", exercise,
                      ".h\"],\n    exercise = \"", exercise, "\",\n)\n");
}

std::string Readme(const Exercise& exercise) {
  const std::string& name = exercise.name;
  return absl::StrCat("# ", exercise.title, "\n\n", exercise.task, "\n\nSource: ", exercise.source,
                      ".\n\nRead `", name, ".h`, write `", name, ".cc`, then, from the root:\n\n",
                      "    ./bazelw run //tools:grade -- check ", name,
                      "\n    ./bazelw run //tools:grade -- hint ", name,
                      "\n    ./bazelw run //tools:grade -- watch ", name, "\n");
}

}  // namespace

std::string MacroLabel(const std::string& workspace) {
  const bool own = Exists(workspace + "/tools/grading/defs.bzl");
  return absl::StrCat(own ? "" : "@lemma", "//tools/grading:defs.bzl");
}

LearnerFolder::LearnerFolder(std::string path, std::string macro)
    : path_(std::move(path)), macro_(std::move(macro)) {}

std::string LearnerFolder::FolderOf(const std::string& exercise) const {
  return absl::StrCat(path_, "/", exercise);
}

std::string LearnerFolder::SourceOf(const std::string& exercise) const {
  return absl::StrCat(FolderOf(exercise), "/", exercise, ".cc");
}

bool LearnerFolder::IsStarted(const std::string& exercise) const {
  return Exists(SourceOf(exercise));
}

absl::Status LearnerFolder::Start(const Exercise& exercise) const {
  const std::string folder = FolderOf(exercise.name);
  if (absl::Status made = CreateFolders(folder); !made.ok()) return made;
  const StarterFiles starter = StarterOf(exercise.name);
  const std::string base = absl::StrCat(folder, "/", exercise.name);
  const std::pair<std::string, std::string> files[] = {
      {base + ".h", starter.header},
      {folder + "/BUILD", BuildFile(exercise.name, macro_)},
      {folder + "/README.md", Readme(exercise)}};
  for (const auto& [path, text] : files) {
    if (absl::Status written = Write(path, text); !written.ok()) return written;
  }
  return IsStarted(exercise.name) ? absl::OkStatus() : Write(base + ".cc", starter.source);
}

absl::StatusOr<std::string> LearnerFolder::Reset(const Exercise& exercise) const {
  const std::string source = SourceOf(exercise.name);
  std::string kept;
  if (IsStarted(exercise.name)) {
    int number = 1;
    do {
      kept = absl::StrCat(source, ".", number++);
    } while (Exists(kept));
    if (rename(source.c_str(), kept.c_str()) != 0) {
      return absl::UnavailableError(
          absl::StrCat("cannot rename ", DisplayPath(source), ": ", strerror(errno)));
    }
  }
  if (absl::Status started = Start(exercise); !started.ok()) return started;
  return kept;
}

absl::Status LearnerFolder::CheckHeader(const Exercise& exercise) const {
  const std::string path = absl::StrCat(FolderOf(exercise.name), "/", exercise.name, ".h");
  const absl::StatusOr<std::string> header = Read(path);
  if (header.ok() && *header == StarterOf(exercise.name).header) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(DisplayPath(path),
                   " is not the exercise's own: the grader calls what that "
                   "declares. `grade start ",
                   exercise.name, "` puts it back and keeps your .cc"));
}

std::map<std::string, Progress> LearnerFolder::ReadProgress() const {
  std::map<std::string, Progress> all;
  const absl::StatusOr<std::string> text = Read(path_ + "/.grade.json");
  if (!text.ok()) return all;
  const Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return all;
  for (const auto& [name, entry] : json.items()) {
    if (!entry.is_object()) continue;
    try {
      all[name] = {.attempts = entry.value("attempts", int64_t{0}),
                   .passed = entry.value("passed", false),
                   .hints = entry.value("hints", int64_t{0}),
                   .last = entry.value("last", ""),
                   .diagnosis = entry.value("diagnosis", ""),
                   .mistakes = entry.value("mistakes", std::vector<std::string>())};
    } catch (const Json::exception&) {
      all.erase(name);
    }
  }
  return all;
}

absl::Status LearnerFolder::WriteProgress(const std::map<std::string, Progress>& progress) const {
  Json json = Json::object();
  for (const auto& [name, p] : progress) {
    json[name] = {{"attempts", p.attempts}, {"passed", p.passed},       {"hints", p.hints},
                  {"last", p.last},         {"diagnosis", p.diagnosis}, {"mistakes", p.mistakes}};
  }
  return Write(path_ + "/.grade.json",
               json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace lemma::tools::grading
