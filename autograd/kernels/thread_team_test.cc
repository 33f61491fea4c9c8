#include "autograd/kernels/thread_team.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace lemma::kernels {
namespace {

using Clock = std::chrono::steady_clock;

// Waits for `flag`, but not for ever.
void Await(const std::atomic<bool>& flag) {
  const auto give_up = Clock::now() + std::chrono::seconds(20);
  while (!flag && Clock::now() < give_up) std::this_thread::yield();
  EXPECT_TRUE(flag);
}

TEST(ThreadTeam, EachPartIsDoneOnceByAThreadOfItsOwn) {
  ThreadTeam team;
  const auto here = std::this_thread::get_id();
  for (int threads : {1, 2, 5, 3}) {
    std::vector<std::atomic<int>> calls(threads);
    std::atomic<bool> all = false;
    std::atomic<int> arrived = 0;
    team.Run(threads, 1, [&](int, int t) {
      EXPECT_EQ(std::this_thread::get_id() == here, t == 0);
      ++calls[t];
      if (++arrived == threads) all = true;
      Await(all);
    });
    for (int t = 0; t < threads; ++t) EXPECT_EQ(calls[t], 1) << t << " of " << threads;
  }
}

TEST(ThreadTeam, WhatHelpersWroteIsSeenAfterwards) {
  ThreadTeam team;
  int64_t written[3] = {};
  for (int64_t round = 1; round <= 20000; ++round) {
    team.Run(3, 1, [&](int, int t) { written[t] += t + 1; });
    ASSERT_EQ(written[0] + written[1] + written[2], 6 * round);
  }
}

// The caller's part is nothing, so that helpers often come too late.
TEST(ThreadTeam, PartsOfHelpersThatAreLateAreDoneToo) {
  ThreadTeam team;
  for (int round = 0; round < 5000; ++round) {
    std::atomic<int> parts = 0;
    team.Run(4, 1, [&](int, int t) { parts += 1 << (8 * t); });
    ASSERT_EQ(parts, 0x01010101);
  }
}

// Every part of a step reads what all parts of the step before wrote.
TEST(ThreadTeam, StepsFollowEachOther) {
  constexpr int kSteps = 7;
  for (int threads : {1, 2, 4}) {
    ThreadTeam team;
    for (int round = 0; round < 3000; ++round) {
      std::vector<std::vector<int>> written(kSteps, std::vector<int>(threads, -1));
      std::atomic<int> wrong = 0;
      team.Run(threads, kSteps, [&](int step, int t) {
        for (int other = 0; step > 0 && other < threads; ++other) {
          if (written[step - 1][other] != step - 1) ++wrong;
        }
        if (written[step][t] != -1) ++wrong;
        written[step][t] = step;
      });
      ASSERT_EQ(wrong, 0) << threads << " threads, round " << round;
      ASSERT_EQ(written.back(), std::vector<int>(threads, kSteps - 1));
    }
  }
}

TEST(ThreadTeam, SleepingHelpersWakeUp) {
  ThreadTeam team;
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> helped = false;
    team.Run(2, 1, [&](int, int t) {
      if (t == 1) helped = true;
      Await(helped);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(ThreadTeam, EachCallerHasATeamOfItsOwn) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&wrong] {
      ThreadTeam team;
      for (int round = 0; round < 500; ++round) {
        std::atomic<int> sum = 0;
        team.Run(3, 1, [&](int, int t) { sum += t; });
        if (sum != 3) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

// Its parent's helpers are not there, and may have been about to sleep or to wake.
TEST(ThreadTeam, AForkedProcessHasHelpersOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the sanitizer ends a forked program that starts threads";
#endif
  ThreadTeam team;
  for (int round = 0; round < 100; ++round) {
    team.Run(3, 1, [](int, int) {});
    std::this_thread::sleep_for(std::chrono::microseconds(10 * round));
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      for (int threads : {2, 3, 4}) {
        std::atomic<int> begun = 0;
        team.Run(threads, 1, [&](int, int) {
          ++begun;
          while (begun < threads) std::this_thread::yield();
        });
      }
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "round " << round;
  }
}

// As where a limit on processes is reached.
TEST(ThreadTeam, WhereNoThreadCanBeStartedTheCallerWorksAlone) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends a program that may have no more memory";
#endif
  const pid_t child = fork();
  if (child == 0) {
    // Root is not held by the limit on processes, but everybody by that on memory.
    rlimit memory{};
    getrlimit(RLIMIT_AS, &memory);
    memory.rlim_cur = 1;
    setrlimit(RLIMIT_AS, &memory);
    int calls = 0;
    {
      ThreadTeam team;
      team.Run(3, 1, [&](int, int) { ++calls; });
      team.Run(3, 0, [&](int, int) { ++calls; });
    }
    _exit(calls == 3 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace lemma::kernels
