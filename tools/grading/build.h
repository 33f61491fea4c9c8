// Building learners' programs with Bazel.
#ifndef LEMMA_TOOLS_GRADING_BUILD_H_
#define LEMMA_TOOLS_GRADING_BUILD_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lemma::tools::grading {

// A workspace and the command that builds in it.
struct Workshop {
  std::vector<std::string> bazel;
  std::string workspace;
};

// Builds //PACKAGE:NAME; what Bazel and the compiler say goes to stderr. Returns the program's
// path.
absl::StatusOr<std::string> BuildProgram(const Workshop& workshop, const std::string& package,
                                         const std::string& name);

// What became of a target.
struct TargetResult {
  bool built = false;
  std::string errors = "";  // what the compiler or linker wrote
};

// Builds targets of a package, as many as can be, and reports each by its name. Bazel's progress is
// on stderr where that is a terminal. An error where Bazel cannot begin, or is interrupted.
absl::StatusOr<std::map<std::string, TargetResult>> BuildAll(const Workshop& workshop,
                                                             const std::string& package,
                                                             const std::vector<std::string>& names);

// Where the programs of a package are put.
absl::StatusOr<std::string> ProgramFolder(const Workshop& workshop, const std::string& package);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_BUILD_H_
