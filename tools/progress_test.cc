#include "tools/progress.h"

#include <limits>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tools/status_line.h"

namespace lemma::tools {
namespace {

TEST(FormatStep, ShowsWhatIsKnown) {
  EXPECT_EQ(FormatStep({.step = 0, .steps = 2000}), "step 0/2,000");
  EXPECT_EQ(FormatStep({.step = 1200,
                        .steps = 2000,
                        .loss = 1.93124,
                        .validation_loss = 1.882,
                        .tokens_per_second = 45120.4,
                        .seconds_left = 83}),
            "step 1,200/2,000 | loss 1.9312 | val 1.8820 | 45,120 tokens/s | 1m 23s left");
}

TEST(FormatStep, SurvivesALossThatIsNoNumber) {
  EXPECT_EQ(FormatStep({.step = 1,
                        .steps = 2,
                        .loss = std::numeric_limits<double>::quiet_NaN(),
                        .tokens_per_second = std::numeric_limits<double>::infinity()}),
            "step 1/2 | loss nan");
}

class ProgressTest : public ::testing::Test {
 protected:
  StatusLineOptions Options() {
    StatusLineOptions options;
    options.now = [this] { return now_; };
    options.write = [this](absl::string_view text) { output_.append(text.data(), text.size()); };
    return options;
  }
  Progress Make(const ProgressOptions& options) {
    return Progress(options, &line_, [this] { return now_; });
  }
  double now_ = 50;
  std::string output_;
  StatusLine line_{Options()};
};

TEST_F(ProgressTest, FirstAndLastStepsAreShownAndSomeBetween) {
  Progress progress = Make({.first_step = 0, .steps = 40, .tokens_per_step = 100});
  for (int step = 1; step <= 40; ++step) {
    now_ += 0.5;
    progress.Update(step, 4.0 - step / 100.0);
  }
  EXPECT_EQ(output_,
            "step 1/40 | loss 3.9900 | 200 tokens/s | 20 s left\n"
            "step 21/40 | loss 3.7900 | 200 tokens/s | 9.5 s left\n"
            "step 40/40 | loss 3.6000 | 200 tokens/s\n");
  EXPECT_EQ(progress.elapsed_seconds(), 20);
}

TEST_F(ProgressTest, AResumedRunCountsItsOwnStepsOnly) {
  Progress progress = Make({.first_step = 1000, .steps = 1010, .tokens_per_step = 10});
  now_ += 2;
  progress.Update(1001, 1.0);
  EXPECT_EQ(output_, "step 1,001/1,010 | loss 1.0000 | 5 tokens/s | 18 s left\n");
}

TEST_F(ProgressTest, PausesDoNotSlowTheSpeedButTheTimeLeft) {
  Progress progress = Make({.first_step = 0, .steps = 4, .tokens_per_step = 10});
  now_ += 1;
  progress.Update(1, 1.0);
  progress.Pause();
  now_ += 30;
  progress.SetValidationLoss(2.0);
  progress.Continue();
  now_ += 1;
  progress.Update(2, 1.0);
  EXPECT_EQ(*progress.report().tokens_per_second, 10);
  EXPECT_EQ(*progress.report().seconds_left, 32);
  EXPECT_EQ(*progress.report().validation_loss, 2.0);
}

TEST_F(ProgressTest, TheSpeedIsThatOfTheLastSeconds) {
  Progress progress = Make({.first_step = 0, .steps = 100, .tokens_per_step = 10});
  for (int step = 1; step <= 5; ++step) {
    now_ += 10;
    progress.Update(step, 1.0);
  }
  EXPECT_EQ(*progress.report().tokens_per_second, 1);
  for (int step = 6; step <= 30; ++step) {
    now_ += 0.5;
    progress.Update(step, 1.0);
  }
  EXPECT_EQ(*progress.report().tokens_per_second, 20);
}

}  // namespace
}  // namespace lemma::tools
