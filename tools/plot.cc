#include "tools/plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace lemma::tools {
namespace {

constexpr size_t kMostPoints = 2000;

// Told apart by people with any colour vision (Okabe and Ito's palette).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};

struct Point {
  double x;
  double y;
};

std::vector<Point> PointsOf(const Curve& curve) {
  std::vector<Point> points;
  const size_t count = std::min(curve.x.size(), curve.y.size());
  // Stretch i is [i * count / stretches, (i + 1) * count / stretches).
  const size_t stretches = std::min(count, kMostPoints);
  for (size_t i = 0; i < stretches; ++i) {
    const size_t begin = i * count / stretches;
    const size_t end = (i + 1) * count / stretches;
    Point sum = {0, 0};
    for (size_t j = begin; j < end; ++j) {
      sum.x += curve.x[j];
      sum.y += curve.y[j];
    }
    const double n = static_cast<double>(end - begin);
    points.push_back({sum.x / n, sum.y / n});
  }
  return points;
}

bool IsFinite(const Point& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

// A data block: one line a point, "?" where the curve has a gap.
void AppendData(std::string* script, const std::string& name, const std::vector<Point>& points) {
  absl::StrAppend(script, name, " << END\n");
  for (const Point& point : points) {
    if (IsFinite(point)) {
      absl::StrAppendFormat(script, "%.9g %.9g\n", point.x, point.y);
    } else {
      absl::StrAppend(script, "? ?\n");
    }
  }
  absl::StrAppend(script, "END\n");
}

std::string Settings(const Chart& chart, ImageFormat format) {
  const char* const terminal =
      format == ImageFormat::kSvg
          ? "svg noenhanced size 840,480 fixed font 'Helvetica,14' background '#ffffff'"
          : "pngcairo noenhanced size 840,480 font 'Helvetica,11' background '#ffffff'";
  return absl::StrCat(
      "set encoding utf8\n", "set terminal ", terminal, "\n",  //
      // As a label: a title would stand between the legend and the chart.
      "set size 1, 0.93\nset label ", GnuplotText(chart.title),
      " at screen 0.5, 0.955 center font ',", format == ImageFormat::kSvg ? "17" : "14", "'\n",
      "set xlabel ", GnuplotText(chart.x_label), "\n",  //
      "set ylabel ", GnuplotText(chart.y_label), "\n",
      "set datafile missing '?'\n"
      "set border 3 linecolor '#606060'\n"
      "set tics nomirror\n"
      "set grid linetype 1 dashtype solid linecolor '#e4e4e4' linewidth 1\n"
      "set key tmargin center horizontal Left reverse noenhanced samplen 3 width 1\n"
      "set offsets 0, 0, graph 0.05, graph 0.05\n",
      chart.log_x ? "set logscale x\nset format x '1e%T'\n" : "set format x '%.12g'\n",
      chart.from_zero ? "set yrange [0:*]\n" : "");
}

// The dashed line and its name, which stands at its upper end.
void AppendVerticalLine(std::string* script, const VerticalLine& line) {
  absl::StrAppendFormat(script,
                        "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead "
                        "linewidth 1.5 dashtype 2 linecolor '#606060'\n"
                        "set label %s at first %.9g, graph 0.95 offset character 1, 0\n",
                        line.x, line.x, GnuplotText(line.name), line.x);
}

std::string StyleOf(const Curve& curve, size_t colour, int64_t points) {
  const std::string name = kColours[colour % std::size(kColours)];
  switch (curve.style) {
    case CurveStyle::kFaint:
      // The first two digits are the transparency.
      return absl::StrCat("lines linewidth 0.75 linecolor '#a0", name.substr(1), "'");
    case CurveStyle::kPoints:
      return absl::StrCat("points pointtype 6 pointsize 0.8 linewidth 1.25 linecolor '", name, "'");
    case CurveStyle::kLine:
      break;
  }
  // Few points are marked: a line through them would not show where they are.
  return absl::StrCat(
      points <= 60 ? "linespoints linewidth 2 pointtype 7 pointsize 0.5" : "lines linewidth 1.25",
      " linecolor '", name, "'");
}

}  // namespace

absl::StatusOr<std::string> GnuplotScript(const Chart& chart, ImageFormat format) {
  std::string script = Settings(chart, format);
  std::vector<std::string> plots;
  size_t next_colour = 0;
  for (const Curve& curve : chart.curves) {
    const std::vector<Point> points = PointsOf(curve);
    const int64_t drawn = std::count_if(points.begin(), points.end(), IsFinite);
    if (drawn == 0) continue;
    const std::string data = absl::StrCat("$curve", plots.size());
    AppendData(&script, data, points);
    const size_t colour = curve.colour < 0 ? next_colour++ : static_cast<size_t>(curve.colour);
    plots.push_back(absl::StrCat(
        data, " using 1:2 with ", StyleOf(curve, colour, drawn),
        curve.name.empty() ? " notitle" : absl::StrCat(" title ", GnuplotText(curve.name))));
  }
  if (plots.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("there is nothing to draw: no curve of the chart '", chart.title, "'",
                     " has a finite point"));
  }
  for (const ReferenceLine& line : chart.lines) {
    if (!std::isfinite(line.y)) continue;
    plots.push_back(
        absl::StrFormat("%.9g with lines linewidth 1.5 dashtype 2 linecolor '#606060' title %s",
                        line.y, GnuplotText(line.name)));
  }
  for (const VerticalLine& line : chart.vertical_lines) AppendVerticalLine(&script, line);
  absl::StrAppend(&script, "plot ", absl::StrJoin(plots, ", \\\n     "), "\n");
  return script;
}

absl::Status DrawChart(const Chart& chart, const std::string& path, bool keep) {
  const absl::StatusOr<ImageFormat> format = ImageFormatOf(path);
  if (!format.ok()) return format.status();
  const absl::StatusOr<std::string> script = GnuplotScript(chart, *format);
  if (!script.ok()) return script.status();
  return DrawScript(*script, path, keep);
}

}  // namespace lemma::tools
