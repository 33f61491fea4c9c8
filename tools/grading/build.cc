#include "tools/grading/build.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/subprocess.h"

namespace lemma::tools::grading {
namespace {

// Runs a command whose output the user sees, as diagnostics: stdout is the report's. Returns its
// exit status, 127 where it cannot be run.
int RunVisibly(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

}  // namespace

absl::StatusOr<std::string> BuildProgram(const std::vector<std::string>& bazel,
                                         const std::string& workspace, const std::string& package,
                                         const std::string& name) {
  std::vector<std::string> command = {"env", "-C", workspace};
  command.insert(command.end(), bazel.begin(), bazel.end());
  std::vector<std::string> build = command, info = command;
  const std::string label = absl::StrCat("//", package, ":", name);
  for (const char* word : {"build", "--noshow_loading_progress", "--ui_event_filters=-info"}) {
    build.push_back(word);
  }
  build.push_back(label);
  const int status = RunVisibly(build);
  if (status == 127) {
    return absl::NotFoundError(absl::StrCat("cannot run ", bazel[0], " to build ", label));
  }
  if (status != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(label, " does not build; what the compiler says stands above"));
  }
  info.insert(info.end(), {"info", "bazel-bin"});
  const absl::StatusOr<ProcessResult> folder = RunProgram(info, "");
  if (!folder.ok()) return folder.status();
  if (folder->exit_status != 0) {
    return absl::UnavailableError(absl::StrCat("bazel info bazel-bin failed: ", folder->errors));
  }
  return absl::StrCat(absl::StripAsciiWhitespace(folder->output), "/", package, "/", name);
}

}  // namespace lemma::tools::grading
