// Building a learner's program with Bazel.
#ifndef LEMMA_TOOLS_GRADING_BUILD_H_
#define LEMMA_TOOLS_GRADING_BUILD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lemma::tools::grading {

// Builds //PACKAGE:NAME in the workspace with the given Bazel command; what Bazel and the compiler
// say goes to stderr. Returns the program's path.
absl::StatusOr<std::string> BuildProgram(const std::vector<std::string>& bazel,
                                         const std::string& workspace, const std::string& package,
                                         const std::string& name);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_BUILD_H_
