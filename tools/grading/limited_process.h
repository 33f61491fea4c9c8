// Starting a program apart from the grader: a session of its own, no environment, no files but
// three pipes, and limits.
//
//   absl::StatusOr<LimitedProcess> process = StartLimited({path, {argument}}, limits);
//
// Started by root it runs as nobody, since root is above the limit on processes. It ends with the
// thread that started it, leaves no core file, and is the first to go where the machine runs out of
// memory.
#ifndef LEMMA_TOOLS_GRADING_LIMITED_PROCESS_H_
#define LEMMA_TOOLS_GRADING_LIMITED_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lemma::tools::grading {

struct ChildLimits {
  double wall_seconds = 10;                 // of one answer
  int cpu_seconds = 3;                      // of each process
  int64_t memory_bytes = int64_t{1} << 30;  // of its address space, not under asan
  int64_t output_bytes = int64_t{1} << 20;  // printed
  int64_t file_bytes = int64_t{1} << 20;    // of a file that it writes
  int processes = 64;                       // and threads, beyond those the user has
};

struct ChildCommand {
  std::string program;  // its path
  std::vector<std::string> arguments;
};

struct LimitedProcess {
  pid_t pid;  // also of its group and session
  // The grader's ends of its pipes, which do not block: file numbers kRequestFile and kAnswerFile
  // of child_main.h, and what it prints.
  int request, answer, output;
};

// Returns once the program runs. kFailedPrecondition where there is no such program, or it cannot
// be run; kResourceExhausted where the machine has no room for a process.
absl::StatusOr<LimitedProcess> StartLimited(const ChildCommand& command, const ChildLimits& limits);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_LIMITED_PROCESS_H_
