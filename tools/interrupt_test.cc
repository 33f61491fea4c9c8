#include "tools/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

constexpr int kPauseUs = 300'000;  // longer than what counts as one press

TEST(Interrupt, TheFirstSignalOnlySetsTheFlag) {
  InterruptScope interrupt;
  EXPECT_FALSE(interrupt.requested());
  raise(SIGTERM);
  EXPECT_TRUE(interrupt.requested());
  EXPECT_EQ(interrupt.signal_number(), SIGTERM);
}

TEST(Interrupt, HandlersHaveAStackOfTheirOwn) {
  const auto stack = [] {
    stack_t now = {};
    sigaltstack(nullptr, &now);
    return now;
  };
  const void* const before = stack().ss_sp;
  {
    InterruptScope interrupt;
    for (const int signal_number : {SIGINT, SIGTERM}) {
      struct sigaction action = {};
      sigaction(signal_number, nullptr, &action);
      EXPECT_TRUE(action.sa_flags & SA_ONSTACK);
    }
    EXPECT_FALSE(stack().ss_flags & SS_DISABLE);
    EXPECT_GE(stack().ss_size, size_t{64} * 1024);
    EXPECT_NE(stack().ss_sp, before);
  }
  EXPECT_EQ(stack().ss_sp, before);
}

TEST(Interrupt, EachScopeStartsAnew) {
  {
    InterruptScope interrupt;
    raise(SIGINT);
  }
  InterruptScope interrupt;
  EXPECT_FALSE(interrupt.requested());
}

TEST(Interrupt, OnePressThatArrivesTwiceIsOne) {
  InterruptScope interrupt;
  raise(SIGTERM);
  raise(SIGTERM);
  raise(SIGINT);
  EXPECT_EQ(interrupt.signal_number(), SIGTERM);
}

TEST(Interrupt, AnIgnoredSignalStaysIgnored) {
  signal(SIGINT, SIG_IGN);
  {
    InterruptScope interrupt;
    raise(SIGINT);
    EXPECT_FALSE(interrupt.requested());
    raise(SIGTERM);
    EXPECT_TRUE(interrupt.requested());
  }
  EXPECT_EQ(signal(SIGINT, SIG_DFL), SIG_IGN);
}

TEST(InterruptDeathTest, TheSecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        InterruptScope interrupt;
        raise(SIGINT);
        usleep(kPauseUs);
        raise(SIGINT);
        std::exit(0);
      },
      ::testing::ExitedWithCode(128 + SIGINT), "\nstopping and saving; once more stops at once\n");
}

TEST(InterruptDeathTest, TheHandlersFromBeforeComeBack) {
  EXPECT_EXIT(
      {
        { InterruptScope interrupt; }
        raise(SIGTERM);
        std::exit(0);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptDeathTest, OneScopeAtATime) {
  InterruptScope interrupt;
  EXPECT_DEATH(InterruptScope(), "a second InterruptScope");
}

}  // namespace
}  // namespace lemma::tools
