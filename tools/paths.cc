#include "tools/paths.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace lemma::tools {
namespace {

namespace fs = std::filesystem;

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The folder in which the user typed the command.
fs::path UserFolder() {
  const std::string folder = Environment("BUILD_WORKING_DIRECTORY");
  if (!folder.empty()) return folder;
  std::error_code error;
  return fs::current_path(error);
}

absl::Status CannotMake(const std::string& path, const std::error_code& error) {
  return absl::Status(absl::ErrnoToStatusCode(error.value()),
                      absl::StrCat("cannot make the folder ", path, ": ", error.message()));
}

// The largest N of the entries PREFIX + N in a folder; 0 without any.
int64_t LargestNumber(const std::string& folder, const std::string& prefix) {
  int64_t largest = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    absl::string_view number = name;
    int64_t value = 0;
    if (absl::ConsumePrefix(&number, prefix) && number.size() <= 15 &&
        absl::SimpleAtoi(number, &value)) {
      largest = std::max(largest, value);
    }
  }
  return largest;
}

}  // namespace

std::string ResolvePath(const std::string& path) {
  if (path.empty()) return path;
  if (path == "~" || absl::string_view(path).substr(0, 2) == "~/") {
    const std::string home = Environment("HOME");
    if (!home.empty()) return absl::StrCat(home, path.substr(1));
  }
  if (fs::path(path).is_absolute() || Environment("BUILD_WORKING_DIRECTORY").empty()) return path;
  return (UserFolder() / path).lexically_normal().string();
}

std::string DisplayPath(const std::string& path) {
  const fs::path folder = UserFolder();
  if (!fs::path(path).is_absolute() || folder.empty()) return path;
  const fs::path relative = fs::path(path).lexically_relative(folder);
  const bool is_above = relative.empty() || *relative.begin() == "..";
  return is_above ? path : relative.string();
}

absl::Status CreateFolders(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return CannotMake(path, error);
  return absl::OkStatus();
}

absl::StatusOr<std::string> CreateRunFolder(const std::string& runs, const std::string& preset) {
  if (absl::Status status = CreateFolders(runs); !status.ok()) return status;
  const std::string prefix = absl::StrCat(preset, "-");
  int64_t number = LargestNumber(runs, prefix);
  while (true) {
    const std::string path = (fs::path(runs) / absl::StrCat(prefix, ++number)).string();
    std::error_code error;
    if (fs::create_directory(path, error)) return path;
    // False without an error: another program made it a moment ago.
    if (error && error != std::errc::file_exists) return CannotMake(path, error);
  }
}

absl::StatusOr<std::string> WorkspacePath(const std::string& relative) {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    return absl::FailedPreconditionError("start it with `bazel run`, or give --out");
  }
  return absl::StrCat(workspace, "/", relative);
}

}  // namespace lemma::tools
