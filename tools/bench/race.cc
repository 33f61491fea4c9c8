#include "tools/bench/race.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "tools/bench/statistics.h"

namespace lemma::tools::bench {
namespace {

constexpr int64_t kMostUnits = 5'000'000;

// One contestant's part in a race.
class Lane {
 public:
  explicit Lane(Contestant* contestant) : contestant_(*contestant) {}

  bool running() const { return result_.status.ok(); }
  const RaceResult& result() const { return result_; }
  std::string Name() const {
    const ContestantInfo& info = result_.info;
    return info.mode.empty() ? info.name : absl::StrCat(info.name, " ", info.mode);
  }

  void Prepare(const Task& task) {
    absl::StatusOr<ContestantInfo> info = contestant_.Prepare(task);
    result_.status = info.status();
    if (info.ok()) result_.info = *std::move(info);
  }

  void WarmUp(double seconds) {
    int64_t units = 1;
    double ms = 0;
    for (int turn = 0; running() && (turn < 2 || ms < 1e3 * seconds); ++turn) {
      const RunTimes times = Run(units);
      unit_ms_ = Median(times.unit_ms);
      ms += unit_ms_ * static_cast<double>(units);
      units = std::min(2 * units, kMostUnits);
    }
  }

  // A turn of about so many seconds that counts.
  void Measure(double seconds) {
    const double units = std::round(1e3 * seconds / std::max(unit_ms_, 1e-6));
    const RunTimes times = Run(std::clamp<int64_t>(static_cast<int64_t>(units), 1, kMostUnits));
    result_.unit_ms.insert(result_.unit_ms.end(), times.unit_ms.begin(), times.unit_ms.end());
    result_.loss = times.loss;
    result_.peak_bytes = std::max(result_.peak_bytes, times.peak_bytes - result_.info.idle_bytes);
  }

 private:
  RunTimes Run(int64_t units) {
    absl::StatusOr<RunTimes> times = contestant_.Run(units);
    result_.status = times.status();
    return times.ok() ? *std::move(times) : RunTimes{};
  }

  Contestant& contestant_;
  RaceResult result_;
  double unit_ms_ = 0;
};

}  // namespace

std::vector<RaceResult> RunRace(const std::vector<Contestant*>& contestants, const Task& task,
                                const RaceOptions& options,
                                const std::function<void(const std::string&)>& progress) {
  std::vector<Lane> lanes(contestants.begin(), contestants.end());
  int prepared = 0;
  for (Lane& lane : lanes) {
    progress(absl::StrCat("preparing program ", ++prepared, " of ", lanes.size()));
    lane.Prepare(task);
    if (!lane.running()) continue;
    progress(absl::StrCat("warming up ", lane.Name()));
    lane.WarmUp(options.warm_up_seconds);
  }
  const double turn_seconds = options.seconds / static_cast<double>(options.rounds);
  for (int64_t round = 1; round <= options.rounds; ++round) {
    for (Lane& lane : lanes) {
      if (!lane.running()) continue;
      progress(absl::StrCat("round ", round, " of ", options.rounds, ", ", lane.Name()));
      lane.Measure(turn_seconds);
    }
  }
  std::vector<RaceResult> results;
  for (const Lane& lane : lanes) results.push_back(lane.result());
  return results;
}

}  // namespace lemma::tools::bench
