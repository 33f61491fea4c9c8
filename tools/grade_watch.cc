#include "tools/grade_watch.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <tuple>

#include "absl/strings/str_format.h"
#include "tools/paths.h"

namespace lemma::tools::grading {
namespace {

constexpr useconds_t kLookEveryMicroseconds = 200000;

volatile sig_atomic_t ended = 0;

void OnEnd(int) { ended = 1; }

void EndOn(int signal_number) {
  struct sigaction action = {};
  action.sa_handler = OnEnd;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

// Changes with the file: when, how long, and which file it is, since editors put a new one in its
// place. Zeros where there is none at the moment.
std::tuple<int64_t, int64_t, uint64_t> StateOf(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return {};
  return {info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec, info.st_size, info.st_ino};
}

void RunThisProgram(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "/proc/self/exe");
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    if (ended != 0) kill(pid, SIGTERM);
  }
}

}  // namespace

int WatchSource(const std::string& source, const std::vector<std::string>& arguments) {
  EndOn(SIGINT);
  EndOn(SIGTERM);
  std::tuple<int64_t, int64_t, uint64_t> seen;
  while (ended == 0) {
    const auto state = StateOf(source);
    if (state == seen || state == decltype(state)()) {
      usleep(kLookEveryMicroseconds);
      continue;
    }
    seen = state;
    RunThisProgram(arguments);
    if (ended != 0) break;
    absl::PrintF("\nwatching %s; Ctrl-C ends it\n\n", DisplayPath(source));
    std::fflush(stdout);
  }
  absl::PrintF("\nno longer watching %s\n", DisplayPath(source));
  return 0;
}

}  // namespace lemma::tools::grading
