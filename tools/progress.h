// What a training run tells while it runs: step, losses, speed, time left.
//
//   Progress progress({.first_step = 0, .steps = 2000, .tokens_per_step = 768}, &line, now);
//   for (int64_t step = 1; step <= 2000; ++step) {
//     progress.Update(step, TrainStep());
//     if (step % 250 == 0) {
//       progress.Pause();
//       progress.SetValidationLoss(Evaluate());
//       progress.Continue();
//     }
//   }
//
// shows lines such as
//
//   step 1,200/2,000 | loss 1.9312 | val 1.8820 | 45,120 tokens/s | 1m 23s left
#ifndef LEMMA_TOOLS_PROGRESS_H_
#define LEMMA_TOOLS_PROGRESS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "tools/status_line.h"

namespace lemma::tools {

// One line's content. What is absent is left out of the line.
struct StepReport {
  int64_t step = 0;
  int64_t steps = 0;
  std::optional<double> loss = std::nullopt;  // nats per token
  std::optional<double> validation_loss = std::nullopt;
  std::optional<double> tokens_per_second = std::nullopt;
  std::optional<double> seconds_left = std::nullopt;
};

std::string FormatStep(const StepReport& report);

struct ProgressOptions {
  int64_t first_step = 0;  // steps that an earlier run did
  int64_t steps = 0;       // the step at which the run ends
  int64_t tokens_per_step = 0;
  double speed_seconds = 5;  // the speed is that of the last seconds
};

class Progress {
 public:
  // `line` must outlive this. The time of the first step begins here.
  Progress(const ProgressOptions& options, StatusLine* line, std::function<double()> now);

  // After each step. The first and the last are always shown.
  void Update(int64_t step, double loss);

  // Shown from the next line on.
  void SetValidationLoss(double loss) { report_.validation_loss = loss; }

  // Between these (evaluation, saving) the clock of the speed stands still; that of the time left
  // runs on, since such pauses will come again.
  void Pause() { pause_began_ = now_(); }
  void Continue() { paused_seconds_ += now_() - pause_began_; }

  // The state after the last Update, for a metrics file.
  const StepReport& report() const { return report_; }

  // From the construction on, pauses included.
  double elapsed_seconds() const { return now_() - start_; }

 private:
  void MeasureSpeed(double now);

  const ProgressOptions options_;
  StatusLine* const line_;
  const std::function<double()> now_;
  const double start_;
  double pause_began_ = 0;
  double paused_seconds_ = 0;
  std::deque<std::pair<double, int64_t>> marks_;  // (seconds without pauses, step), oldest first
  StepReport report_;
};

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_PROGRESS_H_
