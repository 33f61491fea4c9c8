#include "tools/grading/child_process.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tools/grading/answer.h"
#include "tools/grading/child_main.h"
#include "tools/grading/testing_child.h"
#include "tools/grading/testing_main.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {
namespace {

// Runs before main, in the child too.
const int kPrintsBeforeMain = std::printf("printed before main\n") + std::fflush(stdout);

volatile int zero = 0;
volatile int* volatile nowhere = nullptr;

Values Nothing() { return {}; }

const Registration kHostile[] = {
    {"echoes", [](const Values& in) { return in; }},
    {"prints", [](const Values& in) { return std::cout << "hello" << std::endl, in; }},
    {"exits", [](const Values&) -> Values { std::exit(0); }},
    {"exits_with_7", [](const Values&) -> Values { _exit(7); }},
    {"aborts", [](const Values&) -> Values { std::abort(); }},
    {"reads_nowhere", [](const Values&) { return zero = *nowhere, Nothing(); }},
    {"divides_by_zero", [](const Values&) { return zero = 5 / zero, Nothing(); }},
    {"throws", [](const Values&) -> Values { throw std::logic_error("TODO: not yet"); }},
    {"throws_a_number", [](const Values&) -> Values { throw 5; }},
    {"spins",
     [](const Values&) -> Values {
       while (true) zero = zero + 1;
     }},
    {"sleeps", [](const Values&) { return sleep(1000), Nothing(); }},
    {"floods",
     [](const Values&) -> Values {
       const std::string line(1000, 'x');
       while (true) std::puts(line.c_str());
     }},
    {"takes_memory",
     [](const Values&) -> Values {
       std::vector<std::unique_ptr<char[]>> all;
       while (true) all.emplace_back(new char[1 << 24]());
     }},
    {"leaves_threads",
     [](const Values& in) {
       for (int i = 0; i < 3; ++i) std::thread([] { sleep(100); }).detach();
       return in;
     }},
    {"forks", [](const Values& in) { return fork() == 0 ? (sleep(100), in) : in; }},
    {"writes_to_the_pipe",
     [](const Values& in) {
       const std::string all_right(100, 'p');
       if (write(kAnswerFile, all_right.data(), all_right.size()) < 0) std::abort();
       return in;
     }},
    {"closes_the_pipe", [](const Values&) { return close(kAnswerFile), sleep(100), Nothing(); }},
    {"kills_itself", [](const Values&) { return kill(getpid(), SIGKILL), Nothing(); }},
    {"kills_its_parent", [](const Values& in) { return kill(getppid(), SIGUSR1), in; }},
};

TEST(ChildProcess, AnswersAsOftenAsItIsAsked) {
  const auto child = StartChild("echoes");
  for (int i = 0; i < 3; ++i) {
    const Answer answer = child->Ask(TestInputs());
    ASSERT_TRUE(answer.ok()) << answer.text;
    EXPECT_EQ(answer.outputs["x"].ToVector<float>(), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(answer.outputs.Int("n"), 4);
    EXPECT_EQ(answer.threads_left, 0);
  }
}

TEST(ChildProcess, KeepsWhatIsPrintedApart) {
  const auto child = StartChild("prints");
  EXPECT_TRUE(child->Ask(TestInputs()).ok());
  EXPECT_EQ(child->printed(), "printed before main\nhello\n");
}

TEST(ChildProcess, NamesExit) {
  ExpectEnding("exits", Ending::kExited, "exit(0)");
  ExpectEnding("exits_with_7", Ending::kExited, "exit(7)");
}

TEST(ChildProcess, NamesSignals) {
  ExpectEnding("aborts", Ending::kSignal, "aborted");
  ExpectEnding("reads_nowhere", Ending::kSignal, "segmentation fault");
  ExpectEnding("divides_by_zero", Ending::kSignal, "by zero");
  ExpectEnding("kills_itself", Ending::kSignal, "signal 9");
}

TEST(ChildProcess, NamesExceptions) {
  ExpectEnding("throws", Ending::kThrew, "TODO: not yet");
  ExpectEnding("throws_a_number", Ending::kThrew, "no std::exception");
}

TEST(ChildProcess, NamesEndlessLoops) {
  ExpectEnding("spins", Ending::kProcessorTime, "endless loop");
}

TEST(ChildProcess, NamesWaiting) {
  ExpectEnding("sleeps", Ending::kTimedOut, "no answer within 0.3 s", TestLimits(0.3));
}

TEST(ChildProcess, NamesFloods) { ExpectEnding("floods", Ending::kFlood, "printed more than"); }

TEST(ChildProcess, NamesMemoryWithoutEnd) {
  ExpectEnding("takes_memory", Ending::kMemory, "400 MiB");
}

TEST(ChildProcess, CountsThreadsLeft) {
  const Answer answer = AnswerOf("leaves_threads");
  EXPECT_TRUE(answer.ok()) << answer.text;
  EXPECT_EQ(answer.threads_left, 3);
}

TEST(ChildProcess, NamesWritesToItsPipe) {
  ExpectEnding("writes_to_the_pipe", Ending::kForged, "file number 4");
}

TEST(ChildProcess, NamesAClosedPipe) {
  ExpectEnding("closes_the_pipe", Ending::kForged, "closed or used file number 3 or 4");
}

TEST(ChildProcess, NamesAProgramThatIsNoChild) {
  const auto child = ChildProcess::Start({"/bin/true", {}}, TestLimits());
  ASSERT_TRUE(child.ok());
  EXPECT_STREQ(Name((*child)->Ask(TestInputs()).ending), "exited");
}

TEST(ChildProcess, EndsWhatTheCodeLeavesBehind) {
  pid_t group = 0;
  {
    const auto child = StartChild("forks");
    EXPECT_TRUE(child->Ask(TestInputs()).ok());
    group = child->pid();
    EXPECT_EQ(kill(-group, 0), 0);
  }
  for (int i = 0; i < 100 && kill(-group, 0) == 0; ++i) usleep(20000);
  EXPECT_NE(kill(-group, 0), 0);
}

TEST(ChildProcess, StaysEndedAfterAFailure) {
  const auto child = StartChild("exits");
  EXPECT_STREQ(Name(child->Ask(TestInputs()).ending), "exited");
  EXPECT_STREQ(Name(child->Ask(TestInputs()).ending), "exited");
}

TEST(ChildProcess, SurvivesEveryFailureAndSaysNoneIsAnAnswer) {
  signal(SIGUSR1, SIG_IGN);
  EXPECT_TRUE(AnswerOf("kills_its_parent").ok());
  EXPECT_TRUE(AnswerOf("echoes").ok());
}

}  // namespace
}  // namespace lemma::tools::grading

int main(int argc, char** argv) { return lemma::tools::grading::TestOrChild(argc, argv); }
