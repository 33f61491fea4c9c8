// Running another program to its end.
#ifndef LEMMA_TOOLS_SUBPROCESS_H_
#define LEMMA_TOOLS_SUBPROCESS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lemma::tools {

struct ProcessResult {
  int exit_status = 0;  // 128 + N if signal N ended it
  std::string output;
  std::string errors;
};

// Runs a program, found as a shell finds it, with `input` as its standard input, and waits. It is
// in a process group of its own, so a Ctrl-C for this program does not reach it. kNotFound if there
// is no such program.
absl::StatusOr<ProcessResult> RunProgram(const std::vector<std::string>& command,
                                         const std::string& input);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_SUBPROCESS_H_
