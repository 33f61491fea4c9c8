// Paths as the user means them, and folders for runs.
//
// `bazel run` starts a program in a folder of Bazel's own, so a relative path is read against the
// folder in which the user typed the command, which Bazel passes in BUILD_WORKING_DIRECTORY.
#ifndef LEMMA_TOOLS_PATHS_H_
#define LEMMA_TOOLS_PATHS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lemma::tools {

// The path to use for what the user typed: "~" and "~/..." are the home folder, an absolute path is
// itself, another is relative to the user's folder. An empty path stays empty.
std::string ResolvePath(const std::string& path);

// The other way, for messages: shortens a path under the user's folder to what the user would type.
std::string DisplayPath(const std::string& path);

// Makes a folder and those above it. Fine if it is there already.
absl::Status CreateFolders(const std::string& path);

// Makes and returns the folder RUNS/PRESET-N, N one more than the largest of the folders there
// (1 in the first run). Two programs that start together get two folders.
absl::StatusOr<std::string> CreateRunFolder(const std::string& runs, const std::string& preset);

// A file of the source tree that `bazel run` was called in, by its path from the root.
// kFailedPrecondition where the program was started otherwise.
absl::StatusOr<std::string> WorkspacePath(const std::string& relative);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_PATHS_H_
