// Code that means harm, or is as wrong as if it did: each is named, none hangs the grader, nothing
// is left running.

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "autograd/create.h"
#include "autograd/ops/reshape.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"
#include "gtest/gtest.h"
#include "tools/grading/answer.h"
#include "tools/grading/child_main.h"
#include "tools/grading/child_process.h"
#include "tools/grading/testing_child.h"
#include "tools/grading/testing_main.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {
namespace {

volatile int zero = 0;

Values Number(int64_t number) { return Values().Add("n", number); }

int Recurse(int depth) {
  volatile char room[1000];
  room[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : Recurse(depth + 1) + room[0];
}

void Throw() { throw std::runtime_error("inside"); }
void ThrowFromNoexcept() noexcept { Throw(); }

// Sleeps in a process that has left group and session, and says which.
Values LeaveTheSession() {
  const pid_t pid = fork();
  if (pid == 0) {
    setsid();
    sleep(100);
    _exit(0);
  }
  usleep(20000);
  return Number(pid);
}

// The same, in one that has left its parent, too.
Values BecomeADaemon() {
  int files[2];
  if (pipe(files) != 0) return {};
  if (fork() == 0) {
    setsid();
    const pid_t pid = fork();
    if (pid == 0) {
      sleep(100);
    } else if (write(files[1], &pid, sizeof(pid)) < 0) {
      _exit(1);
    }
    _exit(0);
  }
  pid_t pid = 0;
  if (read(files[0], &pid, sizeof(pid)) < 0) return {};
  usleep(20000);
  return Number(pid);
}

const Registration kHostile[] = {
    {"holds_back_the_limit",
     [](const Values&) -> Values {
       signal(SIGXCPU, SIG_IGN);
       while (true) zero = zero + 1;
     }},
    {"recurses", [](const Values&) { return Number(Recurse(1)); }},
    {"terminates", [](const Values&) -> Values { std::terminate(); }},
    {"throws_from_noexcept", [](const Values&) { return ThrowFromNoexcept(), Values(); }},
    {"leaves_the_session", [](const Values&) { return LeaveTheSession(); }},
    {"becomes_a_daemon", [](const Values&) { return BecomeADaemon(); }},
    {"dies_before_its_child",
     [](const Values& in) {
       if (fork() == 0) sleep(100);
       raise(SIGKILL);
       return in;
     }},
    {"joins_the_graders_group",
     [](const Values& in) { return setpgid(0, getpgid(getppid())), sleep(100), in; }},
    {"forks_often",
     [](const Values&) {
       for (int i = 0; i < 6; ++i) fork();
       return sleep(100), Values();
     }},
    {"closes_all", [](const Values& in) { return syscall(SYS_close_range, 0, ~0u, 0), in; }},
    {"closes_requests", [](const Values& in) { return close(kRequestFile), in; }},
    {"writes_to_all",
     [](const Values& in) {
       for (int file = 0; file < 64; ++file) {
         if (write(file, "all right\n", 10) < 0) errno = 0;
       }
       return in;
     }},
    {"becomes_another_program",
     [](const Values& in) { return execl("/bin/true", "true", nullptr), in; }},
    {"stops", [](const Values& in) { return raise(SIGSTOP), in; }},
    {"is_traced",
     [](const Values& in) {
       ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
       return raise(SIGTERM), in;
     }},
    {"returns_80_mib", [](const Values&) { return Values().Add("out", Zeros(Shape{20 << 20})); }},
    {"returns_terabytes",
     [](const Values&) {
       return Values().Add("out", Expand(Zeros({1}), Shape{1 << 20, 1 << 20}));
     }},
    {"returns_nothing_defined", [](const Values&) { return Values().Add("out", Tensor()); }},
    {"returns_rank_20",
     [](const Values&) {
       Shape shape;
       for (int i = 0; i < 20; ++i) shape.Append(1);
       return Values().Add("out", Zeros(shape));
     }},
    {"throws_a_megabyte",
     [](const Values&) -> Values { throw std::runtime_error(std::string(1 << 20, '\033')); }},
    {"counts_its_environment",
     [](const Values&) {
       int64_t count = 0;
       while (environ[count] != nullptr) ++count;
       return Number(count);
     }},
    {"reads_from_the_terminal",
     [](const Values&) {
       char c;
       return Number(read(STDIN_FILENO, &c, 1) + open("/dev/tty", O_RDWR));
     }},
};

void ExpectGone(pid_t pid) {
  ASSERT_GT(pid, 1);
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(HostileCode, ThatHoldsBackTheLimitIsNamed) {
  ExpectEnding("holds_back_the_limit", Ending::kProcessorTime, "endless loop");
}

TEST(HostileCode, ThatRecursesWithoutEndIsNamed) {
  ExpectEnding("recurses", Ending::kSignal, "a recursion without end");
}

TEST(HostileCode, ThatTerminatesIsNamed) {
  ExpectEnding("terminates", Ending::kSignal, "aborted");
  ExpectEnding("throws_from_noexcept", Ending::kSignal, "aborted");
}

TEST(HostileCode, EndsWithAllThatItStarted) {
  for (const char* name : {"leaves_the_session", "becomes_a_daemon"}) {
    const Answer answer = AnswerOf(name);
    ASSERT_TRUE(answer.ok()) << answer.text;
    EXPECT_EQ(answer.processes_left, 1) << name;
    ExpectGone(static_cast<pid_t>(answer.outputs.Int("n")));
  }
}

TEST(HostileCode, ThatForksOftenIsEnded) {
  pid_t group;
  {
    const auto child = StartChild("forks_often", TestLimits(0.3));
    group = child->pid();
    EXPECT_STREQ(Name(child->Ask(TestInputs()).ending), "timed_out");
  }
  for (int i = 0; i < 100 && kill(-group, 0) == 0; ++i) usleep(20000);
  EXPECT_EQ(kill(-group, 0), -1);
}

TEST(HostileCode, ThatDiesIsNotWaitedForWhileItsChildLives) {
  ExpectEnding("dies_before_its_child", Ending::kSignal, "signal 9", TestLimits(60));
}

TEST(HostileCode, CannotKeepTheGraderWaiting) {
  for (const char* name : {"joins_the_graders_group", "stops", "is_traced"}) {
    ExpectEnding(name, Ending::kTimedOut, "no answer within 0.3 s", TestLimits(0.3));
  }
}

TEST(HostileCode, ThatTakesTheGradersFilesIsNamed) {
  ExpectEnding("closes_all", Ending::kForged, "which are the grader's");
  ExpectEnding("writes_to_all", Ending::kForged, "which is the grader's");
  const auto child = StartChild("closes_requests");
  EXPECT_TRUE(child->Ask(TestInputs()).ok());
  EXPECT_STREQ(Name(child->Ask(TestInputs()).ending), "forged");
}

TEST(HostileCode, ThatBecomesAnotherProgramHasNotAnswered) {
  ExpectEnding("becomes_another_program", Ending::kExited, "exit(0)");
}

TEST(HostileCode, ThatReturnsTooMuchIsNamed) {
  ExpectEnding("returns_80_mib", Ending::kMemory, "80 MiB; at most 64");
  EXPECT_FALSE(AnswerOf("returns_terabytes").ok());
}

TEST(HostileCode, MayReturnAnyTensor) {
  ExpectEnding("returns_nothing_defined", Ending::kThrew, "it threw");
  const Answer answer = AnswerOf("returns_rank_20");
  ASSERT_TRUE(answer.ok()) << answer.text;
  EXPECT_EQ(answer.outputs["out"].rank(), 20);
}

TEST(HostileCode, CannotFillTheReport) {
  const Answer answer = AnswerOf("throws_a_megabyte");
  EXPECT_STREQ(Name(answer.ending), "threw");
  EXPECT_LT(answer.text.size(), 3000u);
  for (const char c : answer.text) ASSERT_FALSE(absl::ascii_iscntrl(c));
}

TEST(HostileCode, SeesNoEnvironmentAndNoTerminal) {
  EXPECT_LE(AnswerOf("counts_its_environment").outputs.Int("n"), 1);
  EXPECT_EQ(AnswerOf("reads_from_the_terminal").outputs.Int("n"), -1);
}

TEST(HostileCode, ThatIsNotThereIsNoCode) {
  const auto child = StartChild("nobody_registered_this");
  const Answer answer = child->Ask(TestInputs());
  EXPECT_TRUE(absl::StrContains(answer.text, "no solution of this exercise")) << answer.text;
}

TEST(HostileCode, ThatCannotBeRunIsRefused) {
  for (const char* program : {"/nowhere", "/etc/passwd", "/tmp"}) {
    const auto child = ChildProcess::Start({program, {}}, TestLimits());
    EXPECT_EQ(child.status().code(), absl::StatusCode::kFailedPrecondition) << program;
    EXPECT_TRUE(absl::StrContains(child.status().message(), program));
  }
}

}  // namespace
}  // namespace lemma::tools::grading

int main(int argc, char** argv) { return lemma::tools::grading::TestOrChild(argc, argv); }
