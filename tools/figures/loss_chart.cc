#include "tools/figures/loss_chart.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/paths.h"

namespace lemma::tools {
namespace {

// A run is called what the user typed, without a slash at its end.
std::string NameOf(const std::string& run) {
  std::string name = DisplayPath(run);
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  return name;
}

absl::StatusOr<LossCurves> ReadRun(const std::string& run) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(run, ignored);
  const std::string path = is_folder ? absl::StrCat(run, "/metrics.jsonl") : run;
  const absl::StatusOr<MetricsFile> file = ReadMetrics(path);
  if (!file.ok()) return file.status();
  LossCurves curves = LossCurvesOf(file->records);
  if (curves.training.x.empty() && curves.validation.x.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        DisplayPath(path), " holds no loss: it is no metrics.jsonl of a run, or an empty one"));
  }
  return curves;
}

}  // namespace

LossCurves LossCurvesOf(const std::vector<MetricsRecord>& records) {
  LossCurves curves = {.training = {.name = "training batches", .x = {}, .y = {}},
                       .validation = {.name = "validation", .x = {}, .y = {}}};
  for (const MetricsRecord& record : records) {
    for (auto [curve, name] :
         {std::pair(&curves.training, "loss"), std::pair(&curves.validation, "val_loss")}) {
      const std::optional<double> value = record.Find(name);
      if (!value.has_value()) continue;
      curve->x.push_back(static_cast<double>(record.step));
      curve->y.push_back(*value);
    }
  }
  return curves;
}

absl::StatusOr<Chart> LossChart(const std::vector<std::string>& runs) {
  Chart chart{.title = runs.size() == 1 ? absl::StrCat("Loss of ", NameOf(runs[0]))
                                        : absl::StrCat("Loss of ", runs.size(), " runs"),
              .x_label = "step",
              .y_label = "loss (nats per character)",
              .curves = {},
              .lines = {}};
  std::vector<Curve> lines;  // over all that is pale
  for (size_t i = 0; i < runs.size(); ++i) {
    absl::StatusOr<LossCurves> curves = ReadRun(runs[i]);
    if (!curves.ok()) return curves.status();
    if (runs.size() == 1) {
      chart.curves = {std::move(curves->training), std::move(curves->validation)};
      return chart;
    }
    Curve& training = curves->training;
    Curve& validation = curves->validation;
    const bool has_validation = !validation.x.empty();
    for (Curve* curve : {&training, &validation}) {
      curve->colour = static_cast<int>(i);
      curve->name = "";
    }
    (has_validation ? validation : training).name = NameOf(runs[i]);
    if (has_validation) training.style = CurveStyle::kFaint;
    (has_validation ? chart.curves : lines).push_back(std::move(training));
    if (has_validation) lines.push_back(std::move(validation));
  }
  for (Curve& line : lines) chart.curves.push_back(std::move(line));
  absl::StrAppend(&chart.title, ": validation, with the training batches pale behind");
  return chart;
}

}  // namespace lemma::tools
