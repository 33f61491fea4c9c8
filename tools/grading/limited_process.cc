#include "tools/grading/limited_process.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/grading/child_main.h"
#include "tools/grading/process_tree.h"

namespace lemma::tools::grading {
namespace {

constexpr uid_t kNobody = 65534;
// Behind the pipes: the program, and where what kept it from running is told.
constexpr int kProgramFile = 5, kTroubleFile = 6;
// The stack's size decides what an endless recursion looks like; see child_main.cc.
constexpr rlim_t kStackBytes = rlim_t{8} << 20;

#if defined(__has_feature)
#define LEMMA_HAS_FEATURE(x) __has_feature(x)
#else
#define LEMMA_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    LEMMA_HAS_FEATURE(address_sanitizer) || LEMMA_HAS_FEATURE(thread_sanitizer)
constexpr bool kSanitized = true;
// Signals are the grader's to name, and what is left allocated is no fault of a learner.
constexpr const char* kSanitizer =
    "ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigfpe=0:handle_abort=0:handle_sigbus=0:"
    "handle_sigill=0:allocator_may_return_null=1";
#else
constexpr bool kSanitized = false;
constexpr const char* kSanitizer = nullptr;
#endif

void Limit(int resource, rlim_t most, rlim_t margin = 0) {
  const rlimit limit = {most, most + margin};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// What a new process needs, made ready before fork: between fork and exec there are only system
// calls.
struct Preparation {
  int program, trouble, request, answer, output;
  char* const* arguments;
  const ChildLimits& limits;
  rlim_t processes;
};

[[noreturn]] void GiveUp(int trouble) {
  const int error = errno;
  if (write(trouble, &error, sizeof(error)) < 0) _exit(126);
  _exit(127);
}

// The files 0 to 6 become those given; the others are closed.
static_assert(kRequestFile == 3 && kAnswerFile == 4);
void ArrangeFiles(const Preparation& given) {
  const int null = open("/dev/null", O_RDONLY);
  const int files[] = {null,         given.output,  given.output, given.request,
                       given.answer, given.program, given.trouble};
  constexpr int kCount = std::size(files);
  // Above the numbers that they are given, so that none overwrites one that is to come.
  int high[kCount];
  for (int i = 0; i < kCount; ++i) {
    high[i] = fcntl(files[i], F_DUPFD, kCount);
    if (high[i] < 0) GiveUp(given.trouble);
  }
  for (int i = 0; i < kCount; ++i) dup2(high[i], i);
  for (const int file : {kProgramFile, kTroubleFile}) fcntl(file, F_SETFD, FD_CLOEXEC);
  syscall(SYS_close_range, kCount, ~0u, 0);
}

void SetLimits(const ChildLimits& limits) {
  // 1 and not 0: a core that is piped to a program is not written either.
  Limit(RLIMIT_CORE, 1);
  Limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu_seconds), 1);
  Limit(RLIMIT_FSIZE, static_cast<rlim_t>(limits.file_bytes));
  Limit(RLIMIT_NOFILE, 64);
  Limit(RLIMIT_STACK, kStackBytes);
  if (!kSanitized) Limit(RLIMIT_AS, static_cast<rlim_t>(limits.memory_bytes));
  SetTreeMark();
}

void BeFirstWithoutMemory() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY);
  if (file < 0) return;
  if (write(file, "1000", 4) != 4) errno = 0;
  close(file);
}

[[noreturn]] void Become(const Preparation& given) {
  setsid();
  ArrangeFiles(given);
  if (chdir("/") != 0) GiveUp(kTroubleFile);
  signal(SIGPIPE, SIG_DFL);
  BeFirstWithoutMemory();
  SetLimits(given.limits);
  // Root of a sandbox that knows no other user stays what it is, and has no limit on processes.
  const bool dropped = geteuid() != 0 ||
                       (setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0);
  if (!dropped && setuid(kNobody) == -1 && errno != EINVAL && errno != EPERM) GiveUp(kTroubleFile);
  if (dropped) Limit(RLIMIT_NPROC, given.processes);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char* const environment[] = {const_cast<char*>(kSanitizer), nullptr};
  fexecve(kProgramFile, given.arguments, environment);
  // A script, whose interpreter would find the file closed.
  if (errno == ENOENT) errno = ENOEXEC;
  GiveUp(kTroubleFile);
}

struct Pipe {
  int read = -1, write = -1;
};

// Closed in every program that is started, where it is not arranged otherwise.
bool Open(Pipe& pipe) {
  int files[2];
  if (pipe2(files, O_CLOEXEC) != 0) return false;
  pipe = {files[0], files[1]};
  return true;
}

void Close(const std::vector<int>& files) {
  for (const int file : files) {
    if (file >= 0) close(file);
  }
}

void DoNotBlock(int file) { fcntl(file, F_SETFL, O_NONBLOCK); }

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What kept the program from running, or 0: reads until exec closes the pipe.
int TroubleIn(int file) {
  int error = 0;
  ssize_t count;
  do {
    count = read(file, &error, sizeof(error));
  } while (count < 0 && errno == EINTR);
  return count == sizeof(error) ? error : 0;
}

absl::Status CannotRun(const std::string& program, int error) {
  const bool room = error != EAGAIN && error != ENOMEM && error != EMFILE && error != ENFILE;
  return absl::Status(
      room ? absl::StatusCode::kFailedPrecondition : absl::StatusCode::kResourceExhausted,
      absl::StrCat("cannot run the program ", program, ": ", strerror(error)));
}

}  // namespace

absl::StatusOr<LimitedProcess> StartLimited(const ChildCommand& command,
                                            const ChildLimits& limits) {
  // A pipe of that name would wait for a writer without O_NONBLOCK.
  const int program = open(command.program.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (program < 0) return CannotRun(command.program, errno);
  Pipe request, answer, output, trouble;
  if (!Open(request) || !Open(answer) || !Open(output) || !Open(trouble)) {
    const int error = errno;
    Close({program, request.read, request.write, answer.read, answer.write, output.read,
           output.write});
    return CannotRun(command.program, error);
  }
  for (const int file : {request.write, answer.read, output.read}) DoNotBlock(file);
  std::vector<std::string> words = {command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  const std::vector<char*> arguments = Pointers(words);
  const int own = geteuid() == 0 ? 0 : TasksOfThisUser();
  AdoptOrphans();

  const pid_t pid = fork();
  if (pid == 0) {
    Become({program, trouble.write, request.read, answer.write, output.write, arguments.data(),
            limits, static_cast<rlim_t>(limits.processes + own)});
  }
  const int fork_error = pid < 0 ? errno : 0;
  Close({program, trouble.write, request.read, answer.write, output.write});
  const int error = pid < 0 ? fork_error : TroubleIn(trouble.read);
  close(trouble.read);
  if (error == 0) return LimitedProcess{pid, request.write, answer.read, output.read};
  Close({request.write, answer.read, output.read});
  if (pid > 0) waitpid(pid, nullptr, 0);
  return CannotRun(command.program, error);
}

}  // namespace lemma::tools::grading
