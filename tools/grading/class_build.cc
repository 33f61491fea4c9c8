#include "tools/grading/class_build.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "nn/atomic_file.h"
#include "tools/grading/learner_folder.h"
#include "tools/grading/registry.h"
#include "tools/paths.h"

namespace lemma::tools::grading {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestName = 120;

bool IsHeader(const fs::path& path) {
  return path.extension() == ".h" || path.extension() == ".hpp";
}

// Headers beside a source, but for the exercise's own.
std::vector<fs::path> OwnHeaders(const fs::path& source, const std::string& exercise) {
  std::vector<fs::path> headers;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(source.parent_path(), error)) {
    std::error_code ignored;
    const fs::path name = entry.path().filename();
    if (!IsHeader(name) || name == exercise + ".h" || !entry.is_regular_file(ignored)) continue;
    // Names that a label of Bazel can hold.
    if (TargetName(name.stem().string()) == name.stem().string()) headers.push_back(entry.path());
  }
  return headers;
}

absl::Status Copy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot copy ", DisplayPath(from.string()), ": ", error.message()));
}

// Puts a student's files where Bazel builds them. Returns the target.
absl::StatusOr<std::string> Place(const ClassSource& source, const std::string& package_folder,
                                  const std::string& exercise) {
  const std::string name = TargetName(source.student);
  const fs::path folder = fs::path(package_folder) / name;
  if (absl::Status made = CreateFolders(folder.string()); !made.ok()) return made;
  const std::string base = absl::StrCat(name, "/", exercise);
  if (absl::Status s = Copy(source.path, folder / (exercise + ".cc")); !s.ok()) return s;
  const std::string header = StarterOf(exercise).header;
  const std::string header_path = (folder / (exercise + ".h")).string();
  if (absl::Status s = nn::WriteFileAtomically(header_path, header); !s.ok()) return s;
  std::string headers = absl::StrCat("\"", base, ".h\"");
  for (const fs::path& own : OwnHeaders(source.path, exercise)) {
    if (absl::Status s = Copy(own, folder / own.filename()); !s.ok()) return s;
    absl::StrAppend(&headers, ", \"", name, "/", own.filename().string(), "\"");
  }
  return absl::StrCat("\ngraded_exercise(\n    name = \"", name, "\",\n    srcs = [\"", base,
                      ".cc\"],\n    hdrs = [", headers, "],\n    exercise = \"", exercise,
                      "\",\n)\n");
}

}  // namespace

std::string TargetName(const std::string& student) {
  std::string name;
  for (const char c : student) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-') {
      name += c;
    } else {
      absl::StrAppendFormat(&name, "_%02x", static_cast<unsigned char>(c));
    }
  }
  if (name.size() <= kLongestName) return name;
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return absl::StrFormat("%s-%016x", name.substr(0, kLongestName), hash);
}

std::string FirstError(const std::string& output, const std::string& file) {
  for (absl::string_view line : absl::StrSplit(output, '\n')) {
    const bool linker = absl::StrContains(line, "undefined reference to") ||
                        absl::StrContains(line, "multiple definition of");
    if (!linker && !absl::StrContains(line, "error:")) continue;
    // The name of the source, however the folders before it are called.
    const size_t at = line.find("/" + file + ":");
    if (at != absl::string_view::npos) line.remove_prefix(at + 1);
    if (linker) line.remove_prefix(line.find(absl::StrContains(line, "undef") ? "undef" : "multi"));
    return std::string(absl::StripAsciiWhitespace(line));
  }
  return "";
}

absl::StatusOr<std::unique_ptr<ClassPackage>> ClassPackage::Make(
    const Workshop& workshop, const std::string& homework, const Exercise& exercise,
    const std::vector<ClassSource>& sources) {
  if (!absl::StartsWith(homework, workshop.workspace + "/")) {
    return absl::FailedPreconditionError(
        "the homework folder must lie in the workspace, where Bazel builds");
  }
  const std::string folder = absl::StrCat(homework, "/.class/", exercise.name);
  if (absl::Status made = CreateFolders(folder); !made.ok()) return made;
  absl::StatusOr<FolderLock> lock = FolderLock::Take(folder);
  if (!lock.ok()) return lock.status();
  std::unique_ptr<ClassPackage> package(
      new ClassPackage(workshop, folder, *std::move(lock), exercise.name + ".cc"));
  std::string build =
      absl::StrCat("load(\"", MacroLabel(workshop.workspace), "\", \"graded_exercise\")\n");
  for (const ClassSource& source : sources) {
    const absl::StatusOr<std::string> target = Place(source, folder, exercise.name);
    if (!target.ok()) return target.status();
    build += *target;
    package->names_.push_back(TargetName(source.student));
  }
  if (absl::Status s = nn::WriteFileAtomically(folder + "/BUILD", build); !s.ok()) return s;
  return package;
}

ClassPackage::ClassPackage(const Workshop& workshop, std::string folder, FolderLock lock,
                           std::string file)
    : workshop_(workshop),
      folder_(std::move(folder)),
      lock_(std::move(lock)),
      file_(std::move(file)) {}

// Other people's work is not left lying about; Bazel's cache knows it by its contents.
ClassPackage::~ClassPackage() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  fs::remove(fs::path(folder_).parent_path(), ignored);
}

std::string ClassPackage::package() const { return folder_.substr(workshop_.workspace.size() + 1); }

absl::StatusOr<std::vector<BuiltSource>> ClassPackage::Build() const {
  auto results = BuildAll(workshop_, package(), names_);
  if (!results.ok()) return results.status();
  const absl::StatusOr<std::string> folder = ProgramFolder(workshop_, package());
  if (!folder.ok()) return folder.status();
  std::vector<BuiltSource> built;
  for (const std::string& name : names_) {
    const TargetResult& result = (*results)[name];
    if (result.built) {
      built.push_back({.program = absl::StrCat(*folder, "/", name)});
      continue;
    }
    const std::string error = FirstError(result.errors, file_);
    built.push_back(
        {.problem = absl::StrCat("it does not build", error.empty() ? "" : ": ", error)});
  }
  return built;
}

}  // namespace lemma::tools::grading
