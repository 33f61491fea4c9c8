// The grader's side of a process that runs a learner's code.
//
//   absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(command, limits);
//   const Answer answer = (*child)->Ask(inputs);
//   if (!answer.ok()) Print(answer.text);      // "it called exit(0) before it answered"
//
// The process is started apart and under limits (limited_process.h), which also bound the
// wall-clock time of an answer. An answer counts only as a whole record with this run's nonce; what
// the code prints is kept apart. Whatever else happens has a name, and whatever it started ends
// with it.
//
// It keeps honest code from harming the grader, and mistakes from passing for answers. It is no
// security boundary: code that means harm shares a kernel, a network and readable files with the
// grader, and can find the nonce in its own memory. Grade strangers' code in a container.
#ifndef LEMMA_TOOLS_GRADING_CHILD_PROCESS_H_
#define LEMMA_TOOLS_GRADING_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/grading/answer.h"
#include "tools/grading/frame.h"
#include "tools/grading/limited_process.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

class ChildProcess {
 public:
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(const ChildCommand& command,
                                                             const ChildLimits& limits);
  // Ends the process and what came from it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Calls the function. After an answer that is not ok() the process is gone, and further answers
  // are the same.
  Answer Ask(const Values& inputs);
  // The beginning of what the code printed so far, on stdout and stderr together.
  const std::string& printed() const { return printed_; }
  // Also the number of its process group.
  pid_t pid() const { return pid_; }

 private:
  ChildProcess(const LimitedProcess& process, const ChildLimits& limits);

  Answer Exchange(const std::string& request);
  // Moves bytes for at most some milliseconds. False where the process has closed its answers.
  bool Pump(absl::string_view& unsent, int milliseconds);
  void ReadOutput();
  Answer ReadAnswer(const Frame& frame);
  // Names how the process ended, after ending it where it has not.
  Answer Ended(Ending ending, const std::string& text);
  Answer HowItEnded();
  // Whether the process has ended by now.
  bool HasEnded();

  const pid_t pid_;
  int request_, answer_, output_;
  const ChildLimits limits_;
  Nonce nonce_;
  uint32_t sequence_ = 0;
  bool reaped_ = false;
  int status_ = 0;  // and the rest, of a process that was reaped
  double cpu_seconds_ = 0;
  std::string received_, printed_;
  int64_t output_bytes_ = 0;
  Answer last_;
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_CHILD_PROCESS_H_
