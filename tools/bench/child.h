// Another program that is talked to in lines.
//
//   absl::StatusOr<std::unique_ptr<Child>> child = Child::Start({"python3", "peer.py"}, {});
//   absl::StatusOr<std::string> answer = (*child)->Ask("run 3", [] { ShowProgress(); });
#ifndef LEMMA_TOOLS_BENCH_CHILD_H_
#define LEMMA_TOOLS_BENCH_CHILD_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace lemma::tools::bench {

// Changes to the environment that a child gets.
struct ChildEnvironment {
  std::vector<std::pair<std::string, std::string>> set = {};
  std::vector<std::string> unset = {};
};

class Child {
 public:
  // Starts a program, found as a shell finds it. What it writes to its standard error is kept for
  // messages.
  static absl::StatusOr<std::unique_ptr<Child>> Start(const std::vector<std::string>& command,
                                                      const ChildEnvironment& environment);
  // Closes the program's standard input, gives it some seconds to end, then ends it.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Sends a line and waits for one, which is returned without its end. While it waits it calls
  // `waiting` some times a second. An error where the program has ended; it has the last line of
  // its standard error then.
  absl::StatusOr<std::string> Ask(const std::string& line, absl::FunctionRef<void()> waiting);

 private:
  Child(pid_t pid, int input, int output, int errors);
  absl::Status Ended();

  const pid_t pid_;
  const int input_, output_, errors_;
  std::string received_;
};

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_CHILD_H_
