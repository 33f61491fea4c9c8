// Line charts, drawn by gnuplot.
//
//   Chart chart;
//   chart.title = "course on tiny Shakespeare";
//   chart.x_label = "step";
//   chart.y_label = "loss (nats per character)";
//   chart.curves = {{"training", steps, losses}, {"validation", eval_steps, eval_losses}};
//   chart.lines = {{"ln 65, a uniform guess", 4.1744}};
//   absl::Status status = DrawChart(chart, "runs/course-1/loss.svg");
//
// Without gnuplot DrawChart returns kNotFound with the name of the package to install, and the
// program goes on. Names and titles are shown as they are: nothing in them is a command.
#ifndef LEMMA_TOOLS_PLOT_H_
#define LEMMA_TOOLS_PLOT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lemma::tools {

struct Curve {
  std::string name;
  std::vector<double> x;  // ascending
  std::vector<double> y;  // as many; a gap where one is not finite
};

// A dashed horizontal line, for a value to compare with.
struct ReferenceLine {
  std::string name;
  double y = 0;
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves;  // ones without a point to draw are left out
  std::vector<ReferenceLine> lines;
};

enum class ImageFormat { kSvg, kPng };

// A whole gnuplot program, data included, that writes the image to its standard output: what
// DrawChart runs, and what to keep where a figure should be drawn again. A curve of more than
// 2,000 points is drawn as the means of that many stretches. kFailedPrecondition if there is
// nothing to draw.
absl::StatusOr<std::string> GnuplotScript(const Chart& chart, ImageFormat format);

// Draws into `path`, which ends in .svg or .png, and is replaced atomically.
absl::Status DrawChart(const Chart& chart, const std::string& path);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_PLOT_H_
