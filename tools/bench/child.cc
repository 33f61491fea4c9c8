#include "tools/bench/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

extern char** environ;

namespace lemma::tools::bench {
namespace {

constexpr int kPollMilliseconds = 200;
constexpr int kSecondsToEnd = 5;

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const ChildEnvironment& changes) {
  std::vector<std::string> dropped = changes.unset;
  for (const auto& [name, value] : changes.set) dropped.push_back(name);
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool keep = std::none_of(dropped.begin(), dropped.end(), [&](const std::string& name) {
      return absl::StartsWith(*variable, name + "=");
    });
    if (keep) variables.push_back(*variable);
  }
  for (const auto& [name, value] : changes.set) {
    variables.push_back(absl::StrCat(name, "=", value));
  }
  return variables;
}

// The last line of a file that says something.
std::string LastLine(int file) {
  std::string text(1 << 16, '\0');
  const off_t end = std::max<off_t>(lseek(file, 0, SEEK_END), 0);
  const off_t from = std::max<off_t>(end - static_cast<off_t>(text.size()), 0);
  text.resize(
      static_cast<size_t>(std::max<ssize_t>(pread(file, text.data(), text.size(), from), 0)));
  std::string last;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::StripAsciiWhitespace(line).empty()) last = std::string(line);
  }
  return last;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Child>> Child::Start(const std::vector<std::string>& command,
                                                    const ChildEnvironment& environment) {
  // A socket, since writing to one whose reader has gone can be told not to raise a signal.
  int input[2], output[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0 ||
      pipe2(output, O_CLOEXEC) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("no pipe to ", command[0]));
  }
  const int errors = memfd_create("errors", MFD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  std::vector<std::string> words = command, variables = Environment(environment);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, words[0].c_str(), &actions, nullptr, Pointers(words).data(),
                                 Pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(input[1]);
  close(output[1]);
  if (error != 0) {
    for (const int file : {input[0], output[0], errors}) close(file);
    return absl::Status(absl::ErrnoToStatusCode(error),
                        absl::StrCat("cannot run ", command[0], ": ", strerror(error)));
  }
  return std::unique_ptr<Child>(new Child(pid, input[0], output[0], errors));
}

Child::Child(pid_t pid, int input, int output, int errors)
    : pid_(pid), input_(input), output_(output), errors_(errors) {}

Child::~Child() {
  close(input_);
  close(output_);
  close(errors_);
  for (int i = 0; i < kSecondsToEnd * 100; ++i) {
    if (waitpid(pid_, nullptr, WNOHANG) != 0) return;
    usleep(10000);
  }
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

absl::Status Child::Ended() {
  const std::string last = LastLine(errors_);
  return absl::UnavailableError(last.empty() ? "it ended without a word"
                                             : absl::StrCat("it ended: ", last));
}

absl::StatusOr<std::string> Child::Ask(const std::string& line, absl::FunctionRef<void()> waiting) {
  const std::string request = absl::StrCat(line, "\n");
  for (size_t sent = 0; sent < request.size();) {
    const ssize_t count = send(input_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Ended();
    sent += static_cast<size_t>(count);
  }
  size_t end;
  while ((end = received_.find('\n')) == std::string::npos) {
    pollfd ready = {.fd = output_, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kPollMilliseconds) == 0) {
      waiting();
      continue;
    }
    char buffer[1 << 16];
    const ssize_t count = read(output_, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Ended();
    received_.append(buffer, static_cast<size_t>(count));
  }
  std::string answer = received_.substr(0, end);
  received_.erase(0, end + 1);
  return answer;
}

}  // namespace lemma::tools::bench
