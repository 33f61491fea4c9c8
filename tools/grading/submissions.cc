#include "tools/grading/submissions.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tools/paths.h"

namespace lemma::tools::grading {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 5;
constexpr uintmax_t kLongestSource = 1 << 20;

bool IsPassedOver(const std::string& name) { return name[0] == '.' || name == "__MACOSX"; }

bool IsDigits(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// A program of this system, or a script. The bit alone says little on foreign file systems.
bool IsProgram(const fs::path& path) {
  if (access(path.c_str(), X_OK) != 0) return false;
  std::ifstream file(path, std::ios::binary);
  char start[4] = {};
  file.read(start, sizeof(start));
  return absl::StartsWith(start, "#!") || absl::string_view(start, 4) ==
                                              "\x7f"
                                              "ELF";
}

std::optional<SubmissionKind> KindOf(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  const std::string ending = absl::AsciiStrToLower(path.extension().string());
  for (const char* source : {".cc", ".cpp", ".cxx", ".c++"}) {
    if (ending == source) return SubmissionKind::kSource;
  }
  if (ending == ".npz" || ending == ".safetensors") return SubmissionKind::kOutputs;
  if (ending == ".h" || ending == ".hpp" || !IsProgram(path)) return std::nullopt;
  return SubmissionKind::kProgram;
}

// Why a file that was handed in cannot be read, or is empty.
std::string ProblemWith(const fs::path& path, SubmissionKind kind) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "cannot be read";
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error) return "cannot be read";
  if (size == 0) return "is empty";
  if (kind != SubmissionKind::kSource) return "";
  if (size > kLongestSource) return "is longer than 1 MiB, which no source is";
  std::ostringstream text;
  text << file.rdbuf();
  return absl::StripAsciiWhitespace(text.str()).empty() ? "is empty" : "";
}

// Regular files below a folder, without following links to folders.
void Collect(const fs::path& folder, int depth, std::vector<fs::path>& files) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (IsPassedOver(entry.path().filename().string())) continue;
    std::error_code ignored;
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) {
      if (depth < kDeepest) Collect(entry.path(), depth + 1, files);
    } else if (entry.is_regular_file(ignored)) {
      files.push_back(entry.path());
    }
  }
}

// "Alice Doe" of Moodle's "Alice Doe_123_assignsubmission_file_", "doealice" of Canvas's
// "doealice_LATE_123_456_name": what stands before the numbers.
std::string StudentOf(const std::string& name) {
  const std::vector<std::string> parts = absl::StrSplit(name, '_');
  for (size_t i = 1; i + 1 < parts.size(); ++i) {
    if (!IsDigits(parts[i])) continue;
    const bool moodle = parts[i + 1] == "assignsubmission";
    const bool canvas = IsDigits(parts[i + 1]) && i + 2 < parts.size();
    if (!moodle && !canvas) continue;
    const size_t end = canvas && i > 1 && parts[i - 1] == "LATE" ? i - 1 : i;
    return absl::StrJoin(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(end), "_");
  }
  return name;
}

class Finder {
 public:
  Finder(fs::path folder, std::string exercise)
      : folder_(std::move(folder)), exercise_(std::move(exercise)) {
    ReadGradescopeNames();
  }

  void Add(const fs::path& path) {
    const std::string name = path.filename().string();
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      if (!fs::is_symlink(fs::symlink_status(path, error))) return;
      Note({.student = StudentOf(path.stem().string()),
            .problem = absl::StrCat(name, " is a link that leads nowhere or in a circle")});
    } else if (fs::is_directory(status)) {
      AddFolder(path);
    } else if (const auto kind = KindOf(path)) {
      const bool stem = *kind != SubmissionKind::kProgram;
      Note(Judged(StudentOf(stem ? path.stem().string() : name), path, *kind));
    }
  }

  std::vector<Submission> Found() const {
    std::vector<Submission> found;
    for (const auto& [student, submissions] : by_student_) {
      found.push_back(submissions[0]);
      if (submissions.size() == 1) continue;
      std::vector<std::string> files;
      for (const Submission& one : submissions) files.push_back(one.file);
      found.back() = {.student = student,
                      .problem = absl::StrCat("there are ", files.size(), " submissions: ",
                                              absl::StrJoin(files, ", "), "; keep one")};
    }
    return found;
  }

 private:
  std::string Relative(const fs::path& path) const {
    return path.string().substr(folder_.string().size() + 1);
  }

  void Note(Submission submission) {
    by_student_[submission.student].push_back(std::move(submission));
  }

  Submission Judged(const std::string& student, const fs::path& path, SubmissionKind kind) const {
    Submission submission = {student, kind, Relative(path)};
    const std::string problem = ProblemWith(path, kind);
    if (!problem.empty()) submission.problem = absl::StrCat(submission.file, " ", problem);
    return submission;
  }

  void AddFolder(const fs::path& folder) {
    const std::string name = folder.filename().string();
    const auto known = gradescope_.find(name);
    const std::string student = known == gradescope_.end() ? StudentOf(name) : known->second;
    std::vector<fs::path> files;
    Collect(folder, 0, files);
    std::sort(files.begin(), files.end());
    Note(ChosenOf(student, name, files));
  }

  // The source that is called like the exercise, else the only one; else outputs; else a program.
  Submission ChosenOf(const std::string& student, const std::string& folder,
                      const std::vector<fs::path>& files) const {
    std::map<SubmissionKind, std::vector<fs::path>> of_kind;
    std::vector<fs::path> named;
    for (const fs::path& file : files) {
      const auto kind = KindOf(file);
      if (!kind) continue;
      of_kind[*kind].push_back(file);
      if (file.filename() == exercise_ + ".cc") named.push_back(file);
    }
    if (!named.empty()) of_kind[SubmissionKind::kSource] = named;
    for (const auto& [kind, candidates] : of_kind) {
      if (candidates.size() == 1) return Judged(student, candidates[0], kind);
      std::vector<std::string> names;
      for (const fs::path& candidate : candidates) names.push_back(Relative(candidate));
      return {.student = student,
              .file = folder,
              .problem =
                  absl::StrCat("it is not clear which file to grade: ", absl::StrJoin(names, ", "),
                               "; keep one, or call it ", exercise_, ".cc")};
    }
    return {.student = student,
            .file = folder,
            .problem = absl::StrCat(folder, " holds no ", exercise_,
                                    ".cc, no .npz or .safetensors and no program")};
  }

  // submission_metadata.yml: "submission_123:", below it ":submitters:", and below that, for each,
  // "- :name: Alice". Names that two submissions share get the submission's in addition.
  void ReadGradescopeNames() {
    std::ifstream file(folder_ / "submission_metadata.yml");
    std::string line, submission;
    std::optional<size_t> indent;  // of ":submitters:", below it
    while (std::getline(file, line)) {
      if (absl::StartsWith(line, "submission_")) submission = line.substr(0, line.find(':'));
      const size_t start = line.find_first_not_of(' ');
      if (start == std::string::npos) continue;
      if (indent && start <= *indent && line[start] != '-') indent.reset();
      if (line.substr(start) == ":submitters:" && gradescope_[submission].empty()) indent = start;
      const size_t at = line.find(":name: ");
      if (at == std::string::npos || !indent) continue;
      std::string name(absl::StripAsciiWhitespace(line.substr(at + 7)));
      if (name.size() > 1 && (name[0] == '"' || name[0] == '\'')) {
        name = name.substr(1, name.size() - 2);
      }
      std::string& names = gradescope_[submission];
      absl::StrAppend(&names, names.empty() ? "" : " and ",
                      absl::StrReplaceAll(name, {{"/", "-"}}));
    }
    std::map<std::string, int> uses;
    for (const auto& [id, name] : gradescope_) ++uses[name];
    for (auto& [id, name] : gradescope_) {
      if (uses[name] > 1) absl::StrAppend(&name, " (", id, ")");
    }
  }

  const fs::path folder_;
  const std::string exercise_;
  std::map<std::string, std::string> gradescope_;
  std::map<std::string, std::vector<Submission>> by_student_;
};

}  // namespace

absl::StatusOr<std::vector<Submission>> FindSubmissions(const std::string& folder,
                                                        const std::string& exercise) {
  std::error_code error;
  // Without a slash at its end, which would be a part of every path in it.
  const fs::path root = fs::path(folder + "/.").lexically_normal().parent_path();
  const fs::directory_iterator entries(root, error);
  if (error) {
    return absl::NotFoundError(
        absl::StrCat("cannot read the folder ", DisplayPath(folder), ": ", error.message()));
  }
  Finder finder(root, exercise);
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : entries) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    if (!IsPassedOver(path.filename().string())) finder.Add(path);
  }
  std::vector<Submission> found = finder.Found();
  if (found.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        DisplayPath(folder), " holds no submissions; expected is a file for each student, as ",
        "alice.cc, alice.npz, alice.safetensors or a program, or a folder, as alice/", exercise,
        ".cc"));
  }
  return found;
}

}  // namespace lemma::tools::grading
