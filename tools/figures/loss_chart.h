// The loss of runs over their steps, as a chart.
//
//   absl::StatusOr<Chart> chart = LossChart({"runs/course-1", "runs/course-2"});
#ifndef LEMMA_TOOLS_FIGURES_LOSS_CHART_H_
#define LEMMA_TOOLS_FIGURES_LOSS_CHART_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/metrics.h"
#include "tools/plot.h"

namespace lemma::tools {

// The curves of one run: "loss" of the training batches and "val_loss".
struct LossCurves {
  Curve training;
  Curve validation;
};
LossCurves LossCurvesOf(const std::vector<MetricsRecord>& records);

// Reads metrics.jsonl of each run's folder (or such a file itself). One run: its two losses.
// Several: a colour each, the validation loss a line with marks, the training loss pale behind it;
// where a run has no validation loss its training loss is the line. An error names the run whose
// file is missing or has no loss.
absl::StatusOr<Chart> LossChart(const std::vector<std::string>& runs);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FIGURES_LOSS_CHART_H_
