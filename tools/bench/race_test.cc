#include "tools/bench/race.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

// Takes a fixed time for each unit, tells nobody but the log, and may fail at a turn.
class Fake : public Contestant {
 public:
  Fake(std::string name, double unit_ms, std::vector<std::string>* log, int fails_at = -1)
      : name_(std::move(name)), unit_ms_(unit_ms), log_(*log), fails_at_(fails_at) {}

  absl::StatusOr<ContestantInfo> Prepare(const Task&) override {
    if (fails_at_ == 0) return absl::UnavailableError("not here");
    return ContestantInfo{.name = name_, .idle_bytes = 100};
  }
  absl::StatusOr<RunTimes> Run(int64_t units) override {
    if (++turn_ == fails_at_) return absl::UnavailableError("fell");
    log_.push_back(name_ + std::to_string(units));
    return RunTimes{.unit_ms = std::vector<double>(units, unit_ms_),
                    .loss = 1.0 / turn_,
                    .peak_bytes = 100 + 10 * turn_};
  }

 private:
  const std::string name_;
  const double unit_ms_;
  std::vector<std::string>& log_;
  const int fails_at_;
  int turn_ = 0;
};

RaceOptions Quick() { return {.rounds = 3, .seconds = 0.3, .warm_up_seconds = 0}; }
void Silent(const std::string&) {}

TEST(Race, ContestantsTakeTurns) {
  std::vector<std::string> log;
  Fake a("a", 50, &log), b("b", 25, &log);
  const std::vector<RaceResult> results = RunRace({&a, &b}, {}, Quick(), Silent);
  // Two turns to warm up, of one unit and two, then turns of 100 ms.
  EXPECT_EQ(log, (std::vector<std::string>{"a1", "a2", "b1", "b2",  //
                                           "a2", "b4", "a2", "b4", "a2", "b4"}));
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].info.name, "a");
  EXPECT_EQ(results[0].unit_ms, std::vector<double>(6, 50));
  EXPECT_EQ(results[1].unit_ms, std::vector<double>(12, 25));
  EXPECT_EQ(results[1].loss, 0.2);       // of the fifth turn
  EXPECT_EQ(results[1].peak_bytes, 50);  // its 150 bytes less 100
}

TEST(Race, ATurnHasAtLeastOneUnit) {
  std::vector<std::string> log;
  Fake slow("slow", 60000, &log);
  const std::vector<RaceResult> results = RunRace({&slow}, {}, Quick(), Silent);
  EXPECT_EQ(results[0].unit_ms.size(), 3u);
}

TEST(Race, WarmsUpForItsTime) {
  std::vector<std::string> log;
  Fake quick("q", 1, &log);
  RaceOptions options = Quick();
  options.warm_up_seconds = 0.1;
  RunRace({&quick}, {}, options, Silent);
  // 1 + 2 + 4 + ... + 64 > 100 ms.
  EXPECT_EQ(log[6], "q64");
  EXPECT_EQ(log[7], "q100");
}

TEST(Race, OneThatDropsOutLeavesTheOthersRunning) {
  for (const int fails_at : {0, 1, 2, 4}) {
    std::vector<std::string> log;
    Fake a("a", 50, &log), b("b", 25, &log, fails_at);
    const std::vector<RaceResult> results = RunRace({&a, &b}, {}, Quick(), Silent);
    EXPECT_TRUE(results[0].status.ok());
    EXPECT_EQ(results[0].unit_ms.size(), 6u);
    EXPECT_EQ(results[1].status.message(), fails_at == 0 ? "not here" : "fell");
  }
}

TEST(Race, TellsWhatHappens) {
  std::vector<std::string> log, told;
  Fake a("a", 50, &log);
  RunRace({&a}, {}, Quick(), [&](const std::string& text) { told.push_back(text); });
  ASSERT_EQ(told.size(), 5u);
  EXPECT_EQ(told[0], "preparing program 1 of 1");
  EXPECT_EQ(told[1], "warming up a");
  EXPECT_EQ(told[4], "round 3 of 3, a");
}

}  // namespace
}  // namespace lemma::tools::bench
