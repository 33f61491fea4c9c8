#include "nn/optim/schedule.h"

#include <cmath>
#include <cstdint>

#include "autograd/testing.h"
#include "gtest/gtest.h"

namespace lemma::optim {
namespace {

TEST(Schedule, ConstantStays) {
  const Schedule schedule = Constant(0.25);
  EXPECT_EQ(schedule(0), 0.25);
  EXPECT_EQ(schedule(1'000'000), 0.25);
}

TEST(Schedule, LinearGoesFromStartToEndAndStays) {
  const Schedule schedule = Linear(1, 0.2, 8);
  EXPECT_DOUBLE_EQ(schedule(0), 1);
  EXPECT_DOUBLE_EQ(schedule(2), 0.8);
  EXPECT_DOUBLE_EQ(schedule(4), 0.6);
  EXPECT_DOUBLE_EQ(schedule(8), 0.2);
  EXPECT_DOUBLE_EQ(schedule(9), 0.2);
}

TEST(Schedule, LinearOfNoStepsIsItsEnd) { EXPECT_EQ(Linear(1, 0.2, 0)(0), 0.2); }

TEST(Schedule, WarmupCosineAtItsCorners) {
  const Schedule schedule =
      WarmupCosine({.lr = 1e-3, .min_lr = 1e-4, .warmup = 100, .steps = 2100});
  EXPECT_DOUBLE_EQ(schedule(0), 1e-3 / 101);
  EXPECT_DOUBLE_EQ(schedule(49), 1e-3 * 50 / 101);
  EXPECT_DOUBLE_EQ(schedule(99), 1e-3 * 100 / 101);
  EXPECT_DOUBLE_EQ(schedule(100), 1e-3);
  EXPECT_DOUBLE_EQ(schedule(1100), 5.5e-4);  // halfway down
  EXPECT_DOUBLE_EQ(schedule(600), 1e-4 + 0.5 * (1 + std::sqrt(0.5)) * 9e-4);
  EXPECT_DOUBLE_EQ(schedule(2100), 1e-4);
  EXPECT_DOUBLE_EQ(schedule(1'000'000), 1e-4);
}

TEST(Schedule, WarmupCosineRisesThenFalls) {
  const Schedule schedule = WarmupCosine({.lr = 1, .min_lr = 0.1, .warmup = 10, .steps = 50});
  for (int64_t step = 1; step <= 10; ++step) EXPECT_GT(schedule(step), schedule(step - 1));
  for (int64_t step = 11; step <= 50; ++step) EXPECT_LT(schedule(step), schedule(step - 1));
}

TEST(Schedule, WarmupMayFillAllSteps) {
  const Schedule schedule = WarmupCosine({.lr = 1, .min_lr = 0.5, .warmup = 4, .steps = 4});
  EXPECT_DOUBLE_EQ(schedule(3), 0.8);
  EXPECT_DOUBLE_EQ(schedule(4), 0.5);
}

TEST(Schedule, WrongNumbersAreNamed) {
  EXPECT_EQ(ErrorOf([] { WarmupCosine({.warmup = -3, .steps = 10}); }),
            "[WarmupCosine] warmup and steps can't be negative; they are -3 and 10");
  EXPECT_EQ(ErrorOf([] { Linear(1, 0, -2); }),
            "[Linear] steps: there can't be fewer than 0; there are -2");
  for (const Schedule& schedule : {Linear(1, 0, 10), WarmupCosine({.warmup = 3, .steps = 10})}) {
    EXPECT_EQ(ErrorOf([&] { schedule(-1); }),
              "[schedule] step: steps are counted from 0; this one is -1");
  }
}

}  // namespace
}  // namespace lemma::optim
