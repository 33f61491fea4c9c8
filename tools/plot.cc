#include "tools/plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "nn/atomic_file.h"
#include "tools/subprocess.h"

namespace lemma::tools {
namespace {

constexpr size_t kMostPoints = 2000;

// Told apart by people with any colour vision (Okabe and Ito's palette).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"};

// A text in gnuplot's single quotes, where only the quote itself is special.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "''";
    } else {
      quoted += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return quoted + "'";
}

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
      "set title ", Quoted(chart.title), "\n",                 //
      "set xlabel ", Quoted(chart.x_label), "\n",              //
      "set ylabel ", Quoted(chart.y_label), "\n",
      "set datafile missing '?'\n"
      "set border 3 linecolor '#606060'\n"
      "set tics nomirror\n"
      "set grid linetype 1 dashtype solid linecolor '#e4e4e4' linewidth 1\n"
      "set key tmargin center horizontal Left reverse noenhanced samplen 3 width 1\n"
      "set format x '%.12g'\n"
      "set offsets 0, 0, graph 0.05, graph 0.05\n");
}

}  // namespace

absl::StatusOr<std::string> GnuplotScript(const Chart& chart, ImageFormat format) {
  std::string script = Settings(chart, format);
  std::vector<std::string> plots;
  for (const Curve& curve : chart.curves) {
    const std::vector<Point> points = PointsOf(curve);
    const auto drawn = std::count_if(points.begin(), points.end(), IsFinite);
    if (drawn == 0) continue;
    const std::string data = absl::StrCat("$curve", plots.size());
    AppendData(&script, data, points);
    // Few points are marked: a line through them would not show where they are.
    const bool is_sparse = drawn <= 60;
    plots.push_back(absl::StrCat(
        data, " using 1:2 with ",
        is_sparse ? "linespoints linewidth 2 pointtype 7 pointsize 0.5" : "lines linewidth 1.25",
        " linecolor '", kColours[plots.size() % std::size(kColours)], "' title ",
        Quoted(curve.name)));
  }
  if (plots.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("there is nothing to draw: no curve of the chart ", Quoted(chart.title),
                     " has a finite point"));
  }
  for (const ReferenceLine& line : chart.lines) {
    if (!std::isfinite(line.y)) continue;
    plots.push_back(
        absl::StrFormat("%.9g with lines linewidth 1.5 dashtype 2 linecolor '#606060' title %s",
                        line.y, Quoted(line.name)));
  }
  absl::StrAppend(&script, "plot ", absl::StrJoin(plots, ", \\\n     "), "\n");
  return script;
}

absl::Status DrawChart(const Chart& chart, const std::string& path) {
  const bool is_svg = absl::EndsWith(path, ".svg");
  if (!is_svg && !absl::EndsWith(path, ".png")) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot draw ", path, ": its name must end in .svg or .png"));
  }
  const absl::StatusOr<std::string> script =
      GnuplotScript(chart, is_svg ? ImageFormat::kSvg : ImageFormat::kPng);
  if (!script.ok()) return script.status();
  // -d: a user's own settings must not change the figure.
  const absl::StatusOr<ProcessResult> result = RunProgram({"gnuplot", "-d", "-"}, *script);
  if (absl::IsNotFound(result.status())) {
    return absl::NotFoundError(absl::StrCat(
        "cannot draw ", path, ": gnuplot is missing; install the package gnuplot-nox"));
  }
  if (!result.ok()) return result.status();
  if (result->exit_status != 0 || result->output.empty()) {
    return absl::InternalError(absl::StrCat("cannot draw ", path, ": gnuplot ended with status ",
                                            result->exit_status, ": ", result->errors));
  }
  return nn::WriteFileAtomically(path, result->output);
}

}  // namespace lemma::tools
