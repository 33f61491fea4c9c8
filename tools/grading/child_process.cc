#include "tools/grading/child_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/grading/child_main.h"

namespace lemma::tools::grading {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uid_t kNobody = 65534;
constexpr size_t kKeptOutput = 4096;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

void Limit(int resource, rlim_t most, rlim_t margin = 0) {
  const rlimit limit = {most, most + margin};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// In the child between fork and exec: system calls only. `program` is an open file, so that nobody
// may run it wherever it lies.
[[noreturn]] void Become(int program, char* const* arguments, int request, int answer, int output,
                         const ChildLimits& limits) {
  setpgid(0, 0);
  const int null = open("/dev/null", O_RDONLY);
  // Above the numbers that the pipes are given, so that no dup2 overwrites one that is to come.
  const int files[] = {fcntl(request, F_DUPFD, 100), fcntl(answer, F_DUPFD, 100),
                       fcntl(output, F_DUPFD, 100), fcntl(program, F_DUPFD_CLOEXEC, 100)};
  dup2(null, STDIN_FILENO);
  dup2(files[2], STDOUT_FILENO);
  dup2(files[2], STDERR_FILENO);
  dup2(files[0], kRequestFile);
  dup2(files[1], kAnswerFile);
  dup2(files[3], 5);
  fcntl(5, F_SETFD, FD_CLOEXEC);
  syscall(SYS_close_range, 6, ~0u, 0);
  if (chdir("/") != 0) _exit(126);
  signal(SIGPIPE, SIG_DFL);

  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu_seconds), 1);
  Limit(RLIMIT_FSIZE, static_cast<rlim_t>(limits.file_bytes));
  Limit(RLIMIT_NOFILE, 64);
  if (!kSanitized) Limit(RLIMIT_AS, static_cast<rlim_t>(limits.memory_bytes));
  // Root of a sandbox that knows no other user stays what it is, and has no limit on processes.
  const bool dropped = geteuid() != 0 ||
                       (setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0);
  if (!dropped && setuid(kNobody) == -1 && errno != EINVAL && errno != EPERM) _exit(126);
  if (dropped) Limit(RLIMIT_NPROC, static_cast<rlim_t>(limits.processes));
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char* const environment[] = {nullptr};
  fexecve(5, arguments, environment);
  _exit(127);
}

bool Pipe(int files[2], bool child_reads) {
  if (pipe2(files, O_CLOEXEC) != 0) return false;
  const int own = child_reads ? files[1] : files[0];
  return fcntl(own, F_SETFL, O_NONBLOCK) == 0;
}

std::string SignalText(int number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
      return "it read or wrote memory that is not its own (segmentation fault)";
    case SIGFPE:
      return "it divided an integer by zero (SIGFPE)";
    case SIGABRT:
      return "it was aborted (abort, a failed assert, or an exception that nobody caught)";
    case SIGILL:
      return "it ran an instruction that does not exist (SIGILL): a function without a return?";
    case SIGXFSZ:
      return "it wrote a file beyond the limit on files";
    default:
      return absl::StrCat("signal ", number, " (", strsignal(number), ") ended it");
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(const ChildCommand& command,
                                                                  const ChildLimits& limits) {
  const int program = open(command.program.c_str(), O_RDONLY | O_CLOEXEC);
  if (program < 0) {
    return absl::NotFoundError(
        absl::StrCat("cannot open the program ", command.program, ": ", strerror(errno)));
  }
  int request[2], answer[2], output[2];
  if (!Pipe(request, true) || !Pipe(answer, false) || !Pipe(output, false)) {
    close(program);
    return absl::ResourceExhaustedError("there are no pipes left for a child process");
  }
  std::vector<std::string> words = {command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  const std::vector<char*> arguments = Pointers(words);
  const pid_t pid = fork();
  if (pid == 0) Become(program, arguments.data(), request[0], answer[1], output[1], limits);
  for (const int file : {program, request[0], answer[1], output[1]}) close(file);
  if (pid < 0) {
    for (const int file : {request[1], answer[0], output[0]}) close(file);
    return absl::ResourceExhaustedError(absl::StrCat("cannot start a process: ", strerror(errno)));
  }
  setpgid(pid, pid);
  return std::unique_ptr<ChildProcess>(
      new ChildProcess(pid, request[1], answer[0], output[0], limits));
}

ChildProcess::ChildProcess(pid_t pid, int request, int answer, int output,
                           const ChildLimits& limits)
    : pid_(pid), request_(request), answer_(answer), output_(output), limits_(limits) {
  // A child that has gone is seen as such, not as a signal to the grader.
  signal(SIGPIPE, SIG_IGN);
  if (getrandom(nonce_.data(), sizeof(nonce_), 0) != sizeof(nonce_)) {
    nonce_ = {static_cast<uint64_t>(Clock::now().time_since_epoch().count()),
              static_cast<uint64_t>(pid)};
  }
}

ChildProcess::~ChildProcess() {
  for (const int file : {request_, answer_, output_}) close(file);
  kill(-pid_, SIGKILL);
  if (!reaped_) waitpid(pid_, nullptr, 0);
}

Answer ChildProcess::Ask(const Values& inputs) {
  if (!last_.ok()) return last_;
  std::string request;
  if (sequence_ == 0) request = MakeFrame(nonce_, 0, FrameKind::kHello, "");
  ++sequence_;
  request += MakeFrame(nonce_, sequence_, FrameKind::kCall, Encode(inputs));
  last_ = Exchange(request);
  return last_;
}

Answer ChildProcess::Exchange(const std::string& request) {
  const auto deadline =
      Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(limits_.wall_seconds * 1000));
  absl::string_view unsent = request;
  received_.clear();
  while (true) {
    const bool open = Pump(unsent, 50);
    if (output_bytes_ > limits_.output_bytes) {
      return Ended(Ending::kFlood, absl::StrCat("it printed more than ", limits_.output_bytes,
                                                " bytes: printing in an endless loop?"));
    }
    Frame frame;
    const ParseResult parsed = ParseFrame(received_, nonce_, sequence_, &frame);
    if (parsed == ParseResult::kFrame) return ReadAnswer(frame);
    if (parsed == ParseResult::kNoFrame) {
      return Ended(Ending::kForged, absl::StrCat("something other than an answer was written to "
                                                 "file number ",
                                                 kAnswerFile, ", which is the grader's"));
    }
    if (!open) return HowItEnded();
    if (ResidentBytes() > limits_.memory_bytes) {
      return Ended(Ending::kMemory, absl::StrCat("it took more than ", limits_.memory_bytes >> 20,
                                                 " MiB of memory"));
    }
    if (Clock::now() > deadline) {
      return Ended(Ending::kTimedOut,
                   absl::StrCat("it gave no answer within ", limits_.wall_seconds,
                                " s: waiting for something?"));
    }
  }
}

bool ChildProcess::Pump(absl::string_view& unsent, int milliseconds) {
  pollfd files[] = {
      {answer_, POLLIN, 0}, {output_, POLLIN, 0}, {unsent.empty() ? -1 : request_, POLLOUT, 0}};
  poll(files, 3, milliseconds);
  if ((files[2].revents & POLLOUT) != 0) {
    const ssize_t sent = write(request_, unsent.data(), unsent.size());
    if (sent > 0) unsent.remove_prefix(static_cast<size_t>(sent));
  }
  if (files[1].revents != 0) ReadOutput();
  if (files[0].revents == 0) return true;
  char buffer[1 << 16];
  const ssize_t count = read(answer_, buffer, sizeof(buffer));
  if (count > 0) received_.append(buffer, static_cast<size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

void ChildProcess::ReadOutput() {
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = read(output_, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    output_bytes_ += count;
    const size_t room = kKeptOutput - std::min(kKeptOutput, printed_.size());
    printed_.append(buffer, std::min(room, static_cast<size_t>(count)));
    if (output_bytes_ > limits_.output_bytes) return;
  }
}

Answer ChildProcess::ReadAnswer(const Frame& frame) {
  ReadOutput();
  Answer answer;
  answer.threads_left = OtherThreads();
  if (frame.header.kind == FrameKind::kThrew) {
    answer.ending = Ending::kThrew;
    answer.text = absl::StrCat("it threw: ", frame.payload);
    return answer;
  }
  if (frame.header.kind == FrameKind::kNoMemory) {
    answer.ending = Ending::kMemory;
    answer.text = absl::StrCat("it asked for more memory than the ", limits_.memory_bytes >> 20,
                               " MiB that it may have (std::bad_alloc)");
    return answer;
  }
  uint64_t size = 0;
  absl::string_view payload = frame.payload;
  if (payload.size() >= sizeof(size)) {
    std::memcpy(&size, payload.data(), sizeof(size));
    payload.remove_prefix(sizeof(size));
    if (size <= payload.size()) {
      absl::StatusOr<Values> outputs = Decode(payload.substr(0, size));
      absl::StatusOr<Values> inputs = Decode(payload.substr(size));
      if (outputs.ok() && inputs.ok()) {
        answer.outputs = *std::move(outputs);
        answer.inputs_after = *std::move(inputs);
        return answer;
      }
    }
  }
  return Ended(Ending::kForged, "a record on the grader's pipe holds no tensors");
}

Answer ChildProcess::Ended(Ending ending, const std::string& text) {
  kill(-pid_, SIGKILL);
  if (!reaped_) waitpid(pid_, nullptr, 0);
  reaped_ = true;
  Answer answer;
  answer.ending = ending;
  answer.text = text;
  return answer;
}

// The answers' pipe is closed: the process has ended, or is about to, or closed what is not its
// own.
Answer ChildProcess::HowItEnded() {
  int status = 0;
  for (int i = 0; i < 200 && !reaped_; ++i) {
    ReadOutput();
    reaped_ = waitpid(pid_, &status, WNOHANG) == pid_;
    if (!reaped_) usleep(5000);
  }
  ReadOutput();
  if (!reaped_) {
    return Ended(Ending::kForged,
                 absl::StrCat("it closed file number ", kAnswerFile, ", which is the grader's"));
  }
  if (WIFEXITED(status)) {
    return Ended(Ending::kExited,
                 absl::StrCat("it called exit(", WEXITSTATUS(status), ") before it answered"));
  }
  const int number = WTERMSIG(status);
  if (number == SIGXCPU) {
    return Ended(Ending::kProcessorTime, absl::StrCat("it used more than ", limits_.cpu_seconds,
                                                      " s of processor time: an endless loop?"));
  }
  return Ended(Ending::kSignal, SignalText(number));
}

int64_t ChildProcess::ResidentBytes() const {
  std::FILE* file = std::fopen(absl::StrCat("/proc/", pid_, "/statm").c_str(), "r");
  if (file == nullptr) return 0;
  long long pages = 0;  // NOLINT: what scanf knows
  const int read = std::fscanf(file, "%*d %lld", &pages);
  std::fclose(file);
  return read == 1 ? pages * sysconf(_SC_PAGESIZE) : 0;
}

int ChildProcess::OtherThreads() const {
  DIR* folder = opendir(absl::StrCat("/proc/", pid_, "/task").c_str());
  if (folder == nullptr) return 0;
  int count = 0;
  while (const dirent* entry = readdir(folder)) count += entry->d_name[0] != '.';
  closedir(folder);
  return std::max(0, count - 1);
}

}  // namespace lemma::tools::grading
