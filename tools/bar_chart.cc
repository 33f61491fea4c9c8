#include "tools/bar_chart.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/status_line.h"

namespace lemma::tools {
namespace {

constexpr int kWidth = 960;         // pixels
constexpr int kBarHeight = 44;      // pixels, with the space around it
constexpr int kLongestDetail = 76;  // characters
constexpr double kPlotLeft = 0.47;  // where the bars begin, of the width

const char* ColourOf(BarColour colour) {
  switch (colour) {
    case BarColour::kGood:
      return "#009e73";
    case BarColour::kPale:
      return "#a0a0a0";
    case BarColour::kPlain:
      break;
  }
  return "#0072b2";
}

std::string Settings(const BarChart& chart, ImageFormat format, int64_t most) {
  const int rows = static_cast<int>(chart.bars.size());
  const int height = 70 + kBarHeight * rows;
  const bool svg = format == ImageFormat::kSvg;
  return absl::StrCat(
      "set encoding utf8\nset terminal ", svg ? "svg" : "pngcairo",
      absl::StrFormat(" noenhanced size %d,%d", kWidth, height),
      svg ? " fixed font 'Helvetica,14'" : " font 'Helvetica,11'", " background '#ffffff'\n",
      absl::StrFormat("set lmargin at screen %.3f\nset rmargin at screen 0.94\n", kPlotLeft),
      absl::StrFormat("set tmargin at screen %.4f\nset bmargin at screen %.4f\n", 1 - 50.0 / height,
                      10.0 / height),
      "set label ", GnuplotText(chart.title),
      absl::StrFormat(" at screen 0.5, screen %.4f center font ',%d'\n", 1 - 24.0 / height,
                      svg ? 17 : 14),
      "set border 2 linecolor '#606060'\nunset xtics\nunset ytics\nunset key\n",
      absl::StrFormat("set xrange [0:%d]\nset yrange [%d.5:-0.5]\nset style fill solid noborder\n",
                      std::max<int64_t>(most, 1), rows - 1));
}

// Right of a bar its number, left of it the name, and below that the detail.
std::string Labels(const Bar& bar, size_t row, ImageFormat format) {
  const bool two_lines = !bar.detail.empty();
  std::string text =
      absl::StrCat("set label ", GnuplotText(bar.name),
                   absl::StrFormat(" at graph -0.02, first %.2f right\n",
                                   static_cast<double>(row) - (two_lines ? 0.18 : 0)));
  if (two_lines) {
    absl::StrAppend(
        &text, "set label ", GnuplotText(CutToColumns(bar.detail, kLongestDetail)),
        absl::StrFormat(" at graph -0.02, first %.2f right font ',%d' textcolor "
                        "'#606060'\n",
                        static_cast<double>(row) + 0.22, format == ImageFormat::kSvg ? 11 : 8));
  }
  return absl::StrCat(text, absl::StrFormat("set label '%d' at first %d, first %d left offset "
                                            "character 0.7, 0\n",
                                            bar.count, bar.count, row));
}

}  // namespace

absl::StatusOr<std::string> GnuplotScript(const BarChart& chart, ImageFormat format) {
  if (chart.bars.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("there is nothing to draw: the chart '", chart.title, "' has no bars"));
  }
  int64_t most = 0;
  for (const Bar& bar : chart.bars) most = std::max(most, bar.count);
  std::string script = Settings(chart, format, most);
  for (size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    script += Labels(bar, i, format);
    absl::StrAppendFormat(&script,
                          "set object rectangle from 0, %d.28 to %d, %.2f fillcolor rgb '%s' "
                          "fillstyle solid noborder\n",
                          static_cast<int>(i), bar.count, static_cast<double>(i) - 0.28,
                          ColourOf(bar.colour));
  }
  // Objects alone are no plot.
  return script + "plot NaN notitle\n";
}

absl::Status DrawBarChart(const BarChart& chart, const std::string& path, bool keep) {
  const absl::StatusOr<ImageFormat> format = ImageFormatOf(path);
  if (!format.ok()) return format.status();
  const absl::StatusOr<std::string> script = GnuplotScript(chart, *format);
  if (!script.ok()) return script.status();
  return DrawScript(*script, path, keep);
}

}  // namespace lemma::tools
