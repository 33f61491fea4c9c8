#include "autograd/kernels/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace lemma::kernels {
namespace {

class Parallel : public testing::Test {
 protected:
  ~Parallel() override { SetNumThreads(before_); }
  const int before_ = NumThreads();
};

TEST_F(Parallel, StartsWithAtLeastOneThread) { EXPECT_GE(NumThreads(), 1); }

TEST_F(Parallel, SetNumThreadsTakesNoLessThanOne) {
  SetNumThreads(3);
  EXPECT_EQ(NumThreads(), 3);
  SetNumThreads(0);
  EXPECT_EQ(NumThreads(), 1);
}

TEST_F(Parallel, ForVisitsEveryIndexOnce) {
  for (int threads : {1, 2, 3, 5}) {
    SetNumThreads(threads);
    for (int64_t n : {0, 1, 2, 7, 64, 1000, 5000}) {
      for (int64_t grain : {0, 1, 3, 64, 10000}) {
        std::vector<int> visits(n);
        ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
          ASSERT_LT(begin, end);
          for (int64_t i = begin; i < end; ++i) ++visits[i];
        });
        EXPECT_EQ(visits, std::vector<int>(n, 1)) << n << " in grains of " << grain;
      }
    }
  }
}

TEST_F(Parallel, ForUsesAllThreads) {
  SetNumThreads(3);
  std::atomic<int> calls = 0;
  ParallelFor(3, 1, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(end - begin, 1);
    EXPECT_TRUE(InParallel());
    ++calls;
  });
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(InParallel());
}

// Three ranges would keep one of two threads waiting for the other.
TEST_F(Parallel, ForGivesEachThreadAsManyRanges) {
  SetNumThreads(2);
  std::atomic<int> calls = 0;
  ParallelFor(3 * 40, 40, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(end - begin, 60);
    ++calls;
  });
  EXPECT_EQ(calls, 2);
}

TEST_F(Parallel, ForRunsHereWhenThereIsLittleToShare) {
  SetNumThreads(4);
  const auto here = std::this_thread::get_id();
  int calls = 0;
  ParallelFor(199, 100, [&](int64_t, int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(Parallel, CallsInsideRunOnTheirOwnThread) {
  SetNumThreads(2);
  std::atomic<int> inner = 0;
  ParallelFor(2, 1, [&](int64_t, int64_t) {
    const auto here = std::this_thread::get_id();
    ParallelFor(100, 1, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      inner += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(inner, 200);
}

TEST_F(Parallel, StepsFollowEachOther) {
  for (int threads : {1, 2, 3, 5}) {
    SetNumThreads(threads);
    for (int64_t n : {1, 7, 300, 1000}) {
      for (int64_t grain : {1, 100, 10000}) {
        std::vector<int64_t> a(n), b(n);
        int64_t sum = 0;
        const ParallelStep steps[] = {
            {n, grain,
             [&](int64_t begin, int64_t end) { std::iota(&a[begin], &a[0] + end, begin); }},
            {n, grain,
             [&](int64_t begin, int64_t end) {
               for (int64_t i = begin; i < end; ++i) b[i] += a[n - 1 - i];
             }},
            {0, 1, [](int64_t, int64_t) { FAIL() << "called for nothing"; }},
            {1, 1,
             [&](int64_t, int64_t) { sum = std::accumulate(b.begin(), b.end(), int64_t{0}); }},
        };
        ParallelSteps(steps);
        EXPECT_EQ(sum, n * (n - 1) / 2) << n << " in grains of " << grain;
      }
    }
  }
}

TEST_F(Parallel, AnExceptionEndsTheSteps) {
  for (int threads : {1, 2}) {
    SetNumThreads(threads);
    const ParallelStep steps[] = {
        {2, 1, [](int64_t, int64_t) { throw std::runtime_error("first"); }},
        {2, 1, [](int64_t, int64_t) { throw std::runtime_error("second"); }},
    };
    try {
      ParallelSteps(steps);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "first");
    }
    EXPECT_FALSE(InParallel());
  }
}

TEST_F(Parallel, ChunksDependOnTheLengthAlone) {
  std::vector<std::pair<int64_t, int64_t>> expected;
  for (int64_t begin = 0; begin < 103; begin += 10) {
    expected.emplace_back(begin, std::min<int64_t>(begin + 10, 103));
  }
  ASSERT_EQ(NumChunks(103, 10), 11);
  for (int threads : {1, 2, 3, 16}) {
    SetNumThreads(threads);
    std::vector<std::pair<int64_t, int64_t>> chunks(11);
    ParallelChunks(103, 10, [&](int64_t c, int64_t begin, int64_t end) {
      chunks[c] = {begin, end};
    });
    EXPECT_EQ(chunks, expected) << threads << " threads";
  }
}

TEST_F(Parallel, SumsOfChunksHaveTheSameBitsForAnyNumberOfThreads) {
  std::vector<float> x(10000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 1.0f / static_cast<float>(i + 1);
  const auto sum = [&] {
    std::vector<float> sums(NumChunks(10000, 512));
    ParallelChunks(10000, 512, [&](int64_t c, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sums[c] += x[i];
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0f);
  };
  SetNumThreads(1);
  const float expected = sum();
  for (int threads : {2, 3, 7}) {
    SetNumThreads(threads);
    EXPECT_EQ(sum(), expected);
  }
}

// The first chunk waits for all others, of which some were its own thread's.
TEST_F(Parallel, AThreadThatIsDoneTakesOverFromASlowOne) {
  using Clock = std::chrono::steady_clock;
  SetNumThreads(2);
  std::atomic<int> done = 0;
  const auto give_up = Clock::now() + std::chrono::seconds(20);
  ParallelChunks(8, 1, [&](int64_t chunk, int64_t, int64_t) {
    while (chunk == 0 && done < 7 && Clock::now() < give_up) std::this_thread::yield();
    if (chunk == 0) {
      EXPECT_EQ(done, 7);
    }
    ++done;
  });
  EXPECT_EQ(done, 8);
}

TEST_F(Parallel, AnExceptionReachesTheCaller) {
  for (int threads : {1, 2}) {
    SetNumThreads(threads);
    EXPECT_THROW(ParallelChunks(4, 1,
                                [](int64_t chunk, int64_t, int64_t) {
                                  if (chunk == 3) throw std::runtime_error("here");
                                }),
                 std::runtime_error);
  }
}

TEST_F(Parallel, ManyThreadsMayCallAtOnce) {
  SetNumThreads(2);
  std::atomic<int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        ParallelFor(100, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 50 * 100);
}

}  // namespace
}  // namespace lemma::kernels
