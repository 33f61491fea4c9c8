#include "tools/process_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace lemma::tools {
namespace {

constexpr int kAskMilliseconds = 200;

struct Worker {
  size_t number;
  pid_t pid;
  int file;  // the end of its pipe that is read
  std::string received = {};
};

void WriteAll(int file, const std::string& text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += static_cast<size_t>(count);
  }
}

// The first byte says whether the work was done.
[[noreturn]] void Work(size_t number, int file, const std::function<std::string(size_t)>& work) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string result;
  try {
    result = absl::StrCat("+", work(number));
  } catch (const std::exception& error) {
    result = absl::StrCat("-", error.what());
  }
  WriteAll(file, result);
  std::fflush(nullptr);
  _exit(0);
}

absl::StatusOr<Worker> Start(size_t number, const std::function<std::string(size_t)>& work) {
  int files[2];
  if (pipe2(files, O_CLOEXEC) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("cannot make a pipe: ", strerror(errno)));
  }
  // Else the child would write what waits here a second time.
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    close(files[0]);
    Work(number, files[1], work);
  }
  close(files[1]);
  if (pid < 0) {
    close(files[0]);
    return absl::ResourceExhaustedError(absl::StrCat("cannot start a process: ", strerror(errno)));
  }
  return Worker{number, pid, files[0]};
}

// False at the end of what the worker has to say.
bool Read(Worker& worker) {
  char buffer[1 << 16];
  const ssize_t count = read(worker.file, buffer, sizeof(buffer));
  if (count > 0) worker.received.append(buffer, static_cast<size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

absl::StatusOr<std::string> End(const Worker& worker) {
  close(worker.file);
  int status = 0;
  while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    return absl::InternalError(absl::StrCat("its process was ended by signal ", WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0 || worker.received.empty()) {
    return absl::InternalError(
        absl::StrCat("its process exited with status ", WEXITSTATUS(status)));
  }
  const std::string text = worker.received.substr(1);
  if (worker.received[0] == '-') return absl::InternalError(text);
  return text;
}

void Kill(const Worker& worker) {
  kill(worker.pid, SIGKILL);
  close(worker.file);
  while (waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

void RunInProcesses(size_t count, int jobs, const std::function<std::string(size_t)>& work,
                    const std::function<void(size_t, const absl::StatusOr<std::string>&)>& done,
                    const std::function<bool()>& stop) {
  std::vector<Worker> running;
  size_t next = 0;
  while (true) {
    while (next < count && running.size() < static_cast<size_t>(jobs) && !stop()) {
      absl::StatusOr<Worker> worker = Start(next, work);
      if (worker.ok()) {
        running.push_back(*std::move(worker));
      } else {
        done(next, worker.status());
      }
      ++next;
    }
    if (running.empty()) return;
    if (stop()) {
      for (const Worker& worker : running) Kill(worker);
      return;
    }
    std::vector<pollfd> files;
    for (const Worker& worker : running) files.push_back({worker.file, POLLIN, 0});
    poll(files.data(), files.size(), kAskMilliseconds);
    for (size_t i = running.size(); i-- > 0;) {
      if (files[i].revents == 0 || Read(running[i])) continue;
      const Worker ended = std::move(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      done(ended.number, End(ended));
    }
  }
}

}  // namespace lemma::tools
