#include "tools/figures/terminal_figure.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace lemma::tools {
namespace {

// The characters of a label, each a string of its own.
std::vector<std::string> Characters(const std::string& text) {
  std::vector<std::string> characters;
  for (const char c : text) {
    if ((c & 0xC0) != 0x80) characters.emplace_back();
    if (!characters.empty()) characters.back() += c;
  }
  return characters;
}

int64_t Columns(const std::string& text) { return static_cast<int64_t>(Characters(text).size()); }

std::string Repeat(const std::string& text, int64_t times) {
  std::string all;
  for (int64_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string PadRight(const std::string& text, int64_t width) {
  return text + std::string(std::max<int64_t>(0, width - Columns(text)), ' ');
}

std::string PadLeft(const std::string& text, int64_t width) {
  return std::string(std::max<int64_t>(0, width - Columns(text)), ' ') + text;
}

const char* Block(float weight) {
  if (weight < 0.02f) return "·";
  if (weight < 0.1f) return "░";
  if (weight < 0.3f) return "▒";
  return weight < 0.6f ? "▓" : "█";
}

struct Cells {
  int64_t label = 1;  // columns of the longest label
  int64_t cell = 1;   // columns a cell
  int64_t panel = 1;  // columns of a panel, its labels included
};

Cells MeasureCells(const MatrixFigure& figure, int64_t width) {
  Cells cells;
  for (const std::string& label : figure.labels) {
    cells.label = std::max(cells.label, Columns(label));
  }
  if (cells.label + 1 + 2 * figure.size() <= width) cells.cell = 2;
  cells.panel = cells.label + 1 + cells.cell * figure.size();
  return cells;
}

// The lines of one panel, each `cells.panel` columns wide.
std::vector<std::string> PanelLines(const MatrixFigure& figure, const Panel& panel,
                                    const Cells& cells) {
  const int64_t size = figure.size();
  std::vector<std::string> lines = {panel.title};
  if (!panel.note.empty()) lines.push_back(panel.note);
  for (int64_t i = 0; i < size; ++i) {
    std::string line = absl::StrCat(PadLeft(figure.labels[i], cells.label), "│");
    for (int64_t j = 0; j < size; ++j) {
      const bool is_masked = IsMasked(figure, panel, i, j);
      line += Repeat(is_masked ? " " : Block(panel.weights[i * size + j]), cells.cell);
    }
    lines.push_back(line);
  }
  const std::string margin(cells.label, ' ');
  lines.push_back(absl::StrCat(margin, "└", Repeat("─", cells.cell * size)));
  for (int64_t k = 0; k < cells.label; ++k) {
    std::string line = margin + " ";
    for (const std::string& label : figure.labels) {
      const std::vector<std::string> characters = Characters(label);
      const bool has_one = k < static_cast<int64_t>(characters.size());
      line += PadRight(has_one ? characters[k] : " ", cells.cell);
    }
    lines.push_back(line);
  }
  for (std::string& line : lines) line = PadRight(line, cells.panel);
  return lines;
}

constexpr const char* kMarks[] = {"●", "○", "■", "□", "▲", "△", "◆", "◇"};

// The smallest interval that holds every finite value, as wide as 1 where they are all equal.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
  // The nearest of `count` places, spread evenly.
  int64_t Place(double value, int64_t count) const {
    const double width = high > low ? high - low : 1;
    return std::llround((value - low) / width * static_cast<double>(count - 1));
  }
};

void Draw(const Curve& curve, const char* mark, const Range& x, const Range& y, bool log_x,
          std::vector<std::vector<std::string>>* grid) {
  const auto rows = static_cast<int64_t>(grid->size());
  const auto columns = static_cast<int64_t>((*grid)[0].size());
  // A column shows the mean of what falls into it.
  std::vector<double> sums(columns, 0), counts(columns, 0);
  for (size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
    const double at = log_x ? std::log10(curve.x[i]) : curve.x[i];
    if (!std::isfinite(at) || !std::isfinite(curve.y[i])) continue;
    sums[x.Place(at, columns)] += curve.y[i];
    counts[x.Place(at, columns)] += 1;
  }
  for (int64_t column = 0; column < columns; ++column) {
    if (counts[column] == 0) continue;
    (*grid)[rows - 1 - y.Place(sums[column] / counts[column], rows)][column] = mark;
  }
}

}  // namespace

std::string TerminalHeatmaps(const MatrixFigure& figure, int64_t width) {
  const Cells cells = MeasureCells(figure, width);
  const int64_t fitting = std::max<int64_t>(1, (width + 3) / (cells.panel + 3));
  const size_t per_row = std::min(fitting, figure.columns);
  std::string text = absl::StrCat(figure.title, "\n", figure.subtitle, "\n",
                                  "· < 0.02 ≤ ░ < 0.1 ≤ ▒ < 0.3 ≤ ▓ < 0.6 ≤ █   blank: masked\n");
  for (size_t first = 0; first < figure.panels.size(); first += per_row) {
    const size_t end = std::min(figure.panels.size(), first + per_row);
    std::vector<std::string> lines;
    for (size_t p = first; p < end; ++p) {
      const std::vector<std::string> own = PanelLines(figure, figure.panels[p], cells);
      lines.resize(std::max(lines.size(), own.size()));
      for (size_t i = 0; i < own.size(); ++i) {
        absl::StrAppend(&lines[i], p == first ? "" : "   ", own[i]);
      }
    }
    text += '\n';
    for (std::string& line : lines) {
      absl::StripTrailingAsciiWhitespace(&line);
      absl::StrAppend(&text, line, "\n");
    }
  }
  return text;
}

std::string TerminalChart(const Chart& chart, int64_t width) {
  constexpr int64_t kRows = 20, kScale = 8;
  const int64_t columns = std::clamp<int64_t>(width - kScale - 2, 20, 100);
  Range x, y;
  if (chart.from_zero) y.Add(0);
  for (const Curve& curve : chart.curves) {
    for (size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
      if (!std::isfinite(curve.y[i])) continue;
      x.Add(chart.log_x ? std::log10(curve.x[i]) : curve.x[i]);
      y.Add(curve.y[i]);
    }
  }
  if (x.empty() || y.empty()) return absl::StrCat(chart.title, "\nnothing to draw\n");
  std::vector<std::vector<std::string>> grid(kRows, std::vector<std::string>(columns, " "));
  std::string legend;
  size_t next_mark = 0;
  for (const Curve& curve : chart.curves) {
    const bool is_faint = curve.style == CurveStyle::kFaint;
    const char* const mark = is_faint ? "·" : kMarks[next_mark++ % std::size(kMarks)];
    Draw(curve, mark, x, y, chart.log_x, &grid);
    if (curve.name.empty()) continue;
    absl::StrAppend(&legend, legend.empty() ? "" : "   ", mark, " ", curve.name);
  }
  std::string text = absl::StrCat(chart.title, "\n", legend, "\n\n", chart.y_label, "\n");
  for (int64_t row = 0; row < kRows; ++row) {
    std::string scale;
    if (row % 5 == 0 || row == kRows - 1) {
      const double share = static_cast<double>(kRows - 1 - row) / (kRows - 1);
      scale = absl::StrFormat("%.4g", y.low + share * (y.high - y.low));
    }
    std::string line = absl::StrCat(PadLeft(scale, kScale), " │", absl::StrJoin(grid[row], ""));
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&text, line, "\n");
  }
  const auto end = [&](double value) {
    return absl::StrFormat("%.4g", chart.log_x ? std::pow(10, value) : value);
  };
  const std::string low = end(x.low), high = end(x.high);
  const int64_t room = std::max<int64_t>(1, columns - Columns(low) - Columns(high));
  std::string middle = PadLeft(chart.x_label, (room + Columns(chart.x_label)) / 2);
  absl::StrAppend(&text, std::string(kScale + 1, ' '), "└", Repeat("─", columns), "\n",
                  std::string(kScale + 2, ' '), low, PadRight(middle, room), high, "\n");
  return text;
}

int64_t TerminalWidth() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* const columns = std::getenv("COLUMNS");
  int64_t width = 0;
  if (columns != nullptr && absl::SimpleAtoi(columns, &width) && width >= 20) return width;
  return 100;
}

}  // namespace lemma::tools
