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
#include "tools/gnuplot.h"

namespace lemma::tools {

enum class CurveStyle {
  kLine,    // with its points marked where they are few
  kFaint,   // a thin, pale line: what another curve of the same colour sums up
  kPoints,  // points alone: measurements beside a formula
};

struct Curve {
  std::string name;       // none is in the legend if it is empty
  std::vector<double> x;  // ascending
  std::vector<double> y;  // as many; a gap where one is not finite
  CurveStyle style = CurveStyle::kLine;
  int colour = -1;  // which of the palette; -1: the next one
};

// A dashed horizontal line, for a value to compare with.
struct ReferenceLine {
  std::string name;
  double y = 0;
};

// A dashed vertical line with its name beside it.
struct VerticalLine {
  std::string name;
  double x = 0;
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves;  // ones without a point to draw are left out
  std::vector<ReferenceLine> lines;
  std::vector<VerticalLine> vertical_lines = {};
  bool log_x = false;
  bool from_zero = false;  // the y axis begins at 0
};

// A whole gnuplot program, data included, that writes the image to its standard output: what
// DrawChart runs, and what to keep where a figure should be drawn again. A curve of more than
// 2,000 points is drawn as the means of that many stretches. kFailedPrecondition if there is
// nothing to draw.
absl::StatusOr<std::string> GnuplotScript(const Chart& chart, ImageFormat format);

// Draws into `path`, which ends in .svg or .png, and is replaced atomically. `keep` keeps the
// program too (gnuplot.h).
absl::Status DrawChart(const Chart& chart, const std::string& path, bool keep = false);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_PLOT_H_
