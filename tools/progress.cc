#include "tools/progress.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/format.h"

namespace lemma::tools {

std::string FormatStep(const StepReport& report) {
  std::vector<std::string> parts = {
      absl::StrCat("step ", FormatCount(report.step), "/", FormatCount(report.steps))};
  if (report.loss) parts.push_back(absl::StrFormat("loss %.4f", *report.loss));
  if (report.validation_loss) parts.push_back(absl::StrFormat("val %.4f", *report.validation_loss));
  if (report.tokens_per_second && std::isfinite(*report.tokens_per_second)) {
    parts.push_back(
        absl::StrCat(FormatCount(std::llround(*report.tokens_per_second)), " tokens/s"));
  }
  if (report.seconds_left) {
    parts.push_back(absl::StrCat(FormatDuration(*report.seconds_left), " left"));
  }
  return absl::StrJoin(parts, " | ");
}

Progress::Progress(const ProgressOptions& options, StatusLine* line, std::function<double()> now)
    : options_(options), line_(line), now_(std::move(now)), start_(now_()) {
  report_.step = options_.first_step;
  report_.steps = options_.steps;
  marks_.emplace_back(start_, options_.first_step);
}

void Progress::Update(int64_t step, double loss) {
  const double now = now_();
  const bool is_first = report_.step == options_.first_step;
  const bool is_last = step >= options_.steps;
  report_.step = step;
  report_.loss = loss;
  MeasureSpeed(now);
  const int64_t done = step - options_.first_step;
  report_.seconds_left.reset();
  if (done > 0 && !is_last) {
    report_.seconds_left =
        (now - start_) / static_cast<double>(done) * static_cast<double>(options_.steps - step);
  }
  line_->Show(FormatStep(report_), /*always=*/is_first || is_last);
}

// Over the steps of the last seconds, or over the last step where it took longer.
void Progress::MeasureSpeed(double now) {
  const double working = now - paused_seconds_;
  while (marks_.size() > 1 && working - marks_[1].first >= options_.speed_seconds) {
    marks_.pop_front();
  }
  const double seconds = working - marks_.front().first;
  const int64_t steps = report_.step - marks_.front().second;
  report_.tokens_per_second.reset();
  if (seconds > 0) {
    report_.tokens_per_second = static_cast<double>(steps * options_.tokens_per_step) / seconds;
  }
  marks_.emplace_back(working, report_.step);
}

}  // namespace lemma::tools
