#include "tools/grading/child_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/grading/child_main.h"
#include "tools/grading/process_tree.h"

namespace lemma::tools::grading {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kKeptOutput = 4096;
constexpr size_t kKeptText = 2000;

// A text of the code's own, on one line of a terminal.
std::string Shown(absl::string_view text) {
  std::string shown(text.substr(0, kKeptText));
  for (char& c : shown) {
    if (absl::ascii_iscntrl(c)) c = ' ';
  }
  return absl::StrCat(shown, text.size() > kKeptText ? "..." : "");
}

std::string SignalText(int number) {
  switch (number) {
    case SIGSEGV:
    case SIGBUS:
      return "it read or wrote memory that is not its own (segmentation fault): an index out of "
             "range?";
    case kStackSignal:
      return "it ran out of stack (segmentation fault): a recursion without end, or an array of "
             "megabytes on the stack?";
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
  const absl::StatusOr<LimitedProcess> process = StartLimited(command, limits);
  if (!process.ok()) return process.status();
  return std::unique_ptr<ChildProcess>(new ChildProcess(*process, limits));
}

ChildProcess::ChildProcess(const LimitedProcess& process, const ChildLimits& limits)
    : pid_(process.pid),
      request_(process.request),
      answer_(process.answer),
      output_(process.output),
      limits_(limits) {
  // A child that has gone is seen as such, not as a signal to the grader.
  signal(SIGPIPE, SIG_IGN);
  if (getrandom(nonce_.data(), sizeof(nonce_), 0) != sizeof(nonce_)) {
    nonce_ = {static_cast<uint64_t>(Clock::now().time_since_epoch().count()),
              static_cast<uint64_t>(pid_)};
  }
}

ChildProcess::~ChildProcess() {
  for (const int file : {request_, answer_, output_}) close(file);
  EndTree(pid_, reaped_);
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
    // Another process that it started may hold the pipe open.
    const bool ended = HasEnded();
    const bool open = Pump(unsent, ended ? 0 : 50);
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
    if (!open || ended) return HowItEnded();
    if (ResidentBytes(pid_) > limits_.memory_bytes) {
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
  answer.threads_left = ThreadsBesides(pid_);
  answer.processes_left = ProcessesBesides(pid_);
  if (frame.header.kind == FrameKind::kThrew) {
    answer.ending = Ending::kThrew;
    answer.text = absl::StrCat("it threw: ", Shown(frame.payload));
    return answer;
  }
  if (frame.header.kind == FrameKind::kTooLarge) {
    answer.ending = Ending::kMemory;
    answer.text = absl::StrCat("its outputs are too large: ", Shown(frame.payload));
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
  EndTree(pid_, reaped_);
  reaped_ = true;
  Answer answer;
  answer.ending = ending;
  answer.text = text;
  return answer;
}

bool ChildProcess::HasEnded() {
  int status = 0;
  rusage used = {};
  if (reaped_ || wait4(pid_, &status, WNOHANG, &used) != pid_) return reaped_;
  // One that asked to be traced has only stopped.
  reaped_ = WIFEXITED(status) || WIFSIGNALED(status);
  if (!reaped_) return false;
  status_ = status;
  cpu_seconds_ = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  return true;
}

// The process has ended, or is about to, or closed what is not its own.
Answer ChildProcess::HowItEnded() {
  for (int i = 0; i < 200 && !HasEnded(); ++i) {
    ReadOutput();
    usleep(5000);
  }
  ReadOutput();
  const bool lost_pipes = reaped_ && WIFEXITED(status_) && WEXITSTATUS(status_) == kLostPipes;
  if (!reaped_ || lost_pipes) {
    return Ended(Ending::kForged, absl::StrCat("it closed or used file number ", kRequestFile,
                                               " or ", kAnswerFile, ", which are the grader's"));
  }
  if (WIFEXITED(status_)) {
    const int code = WEXITSTATUS(status_);
    return Ended(Ending::kExited,
                 code == kNoSuchFunction
                     ? std::string("the program holds no solution of this exercise")
                     : absl::StrCat("it called exit(", code, ") before it answered"));
  }
  const int number = WTERMSIG(status_);
  // A program may hold back SIGXCPU; SIGKILL comes a second later.
  if (number == SIGXCPU || (number == SIGKILL && cpu_seconds_ >= limits_.cpu_seconds)) {
    return Ended(Ending::kProcessorTime, absl::StrCat("it used more than ", limits_.cpu_seconds,
                                                      " s of processor time: an endless loop?"));
  }
  return Ended(Ending::kSignal, SignalText(number));
}

}  // namespace lemma::tools::grading
