#include "tools/figures/heatmap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace lemma::tools {
namespace {

constexpr int64_t kLargestPicture = 12000;  // pixels; what image viewers still open
constexpr int64_t kLabelCell = 7;           // pixels below which characters don't fit

// ColorBrewer's Blues, as the course's pictures have them.
constexpr char kPalette[] =
    "set palette defined (0 '#f7fbff', 0.125 '#deebf7', 0.25 '#c6dbef', 0.375 '#9ecae1', "
    "0.5 '#6baed6', 0.625 '#4292c6', 0.75 '#2171b5', 0.875 '#08519c', 1 '#08306b')\n";
constexpr char kMaskColour[] = "#ebebeb";

// All lengths in pixels.
struct Layout {
  int64_t cell = 1;
  int64_t side = 1;         // of a panel
  double label_font = 10;   // characters on the axes
  double title_font = 20;   // of the picture
  double panel_font = 13;   // title of a panel
  int64_t left = 0;         // of the first panel, its labels included
  int64_t top = 0;          // above the first row of panels
  int64_t panel_title = 0;  // above each panel
  int64_t labels = 0;       // below each panel, and left of it
  int64_t gap = 0;          // between panels
  int64_t width = 0;        // of the picture
  int64_t height = 0;
  bool shows_characters = true;
  int64_t label_step = 1;  // every how many positions have a label

  int64_t X(int64_t column) const { return left + column * (labels + side + gap) + labels; }
  int64_t Y(int64_t row) const {
    return top + row * (panel_title + side + labels + gap) + panel_title;
  }
};

size_t LongestLabel(const MatrixFigure& figure) {
  size_t longest = 1;
  for (const std::string& label : figure.labels) {
    const auto starts_character = [](char c) { return (c & 0xC0) != 0x80; };
    longest =
        std::max<size_t>(longest, std::count_if(label.begin(), label.end(), starts_character));
  }
  return longest;
}

// Labels of several characters, such as numbers, stand at every 5th position, or 10th, ...
int64_t LabelStep(size_t longest, double font, int64_t cell) {
  if (longest == 1) return 1;
  const double needed = 0.7 * font * static_cast<double>(longest + 1);
  int64_t step = 1;
  for (const int64_t next : {5, 10, 20, 50, 100, 200, 500}) {
    if (needed <= static_cast<double>(step * cell)) break;
    step = next;
  }
  return step;
}

absl::StatusOr<Layout> MakeLayout(const MatrixFigure& figure) {
  const int64_t size = figure.size(), columns = figure.columns, rows = figure.rows();
  const bool has_notes = std::any_of(figure.panels.begin(), figure.panels.end(),
                                     [](const Panel& panel) { return !panel.note.empty(); });
  Layout layout;
  const int64_t wished = figure.panels.size() == 1 ? 860 : 620;
  layout.cell = std::clamp<int64_t>(wished / size, 10, 60);
  layout.cell =
      std::max<int64_t>(1, std::min(layout.cell, 3200 / (size * std::max(columns, rows))));
  if (size * std::max(columns, rows) <= 320) layout.cell = std::max<int64_t>(layout.cell, 9);
  layout.side = layout.cell * size;
  layout.shows_characters = layout.cell >= kLabelCell;
  layout.label_font = layout.shows_characters ? std::min(0.92 * layout.cell, 20.0) : 11;
  const size_t longest = LongestLabel(figure);
  if (layout.shows_characters && longest > 1) {
    layout.label_font = std::max(layout.label_font, std::min(layout.side / 40.0, 16.0));
  }
  layout.label_step = LabelStep(longest, layout.label_font, layout.cell);
  layout.gap = std::max<int64_t>(14, layout.side / 24);
  layout.labels = static_cast<int64_t>(
      8 + layout.label_font * (layout.shows_characters ? 0.62 * (longest - 1) + 1 : 3));
  const int64_t panels_width = columns * (layout.labels + layout.side + layout.gap);
  layout.title_font = std::clamp(panels_width / 42.0, 18.0, 38.0);
  layout.panel_font = std::clamp(layout.side / 28.0, 13.0, 22.0);
  layout.left = 24;
  layout.top = static_cast<int64_t>(3.7 * layout.title_font);
  layout.panel_title = static_cast<int64_t>((has_notes ? 3.3 : 2.1) * layout.panel_font);
  layout.width = layout.left + panels_width + static_cast<int64_t>(30 + 4 * layout.panel_font);
  layout.height = layout.Y(rows - 1) + layout.side + layout.labels + 16;
  if (std::max(layout.width, layout.height) > kLargestPicture) {
    return absl::InvalidArgumentError(absl::StrCat(
        figure.panels.size(), " matrices of ", size, " x ", size,
        " do not fit one picture; choose a shorter text, or fewer of them by --layer and --head"));
  }
  return layout;
}

// A text of one line that has to fit `width` pixels: in a smaller font, and where that gets too
// small to read, without its middle.
struct FittedText {
  std::string text;
  double font = 0;
};

FittedText Fit(const std::string& text, double font, double width) {
  constexpr double kAdvance = 0.62, kSmallest = 10;  // of DejaVu Sans, in ems a character; pixels
  std::vector<std::string> characters;
  for (const char c : text) {
    if ((c & 0xC0) != 0x80 || characters.empty()) characters.emplace_back();
    characters.back() += c;
  }
  const auto count = static_cast<double>(characters.size());
  const double fitting = std::min(font, width / (kAdvance * std::max(count, 1.0)));
  if (fitting >= kSmallest || font <= kSmallest) return {text, fitting};
  const auto kept = static_cast<size_t>(std::max(2.0, width / (kAdvance * kSmallest)));
  const size_t head = kept / 2, tail = kept - head;
  characters.erase(characters.begin() + head, characters.end() - tail);
  characters.insert(characters.begin() + head, "…");
  return {absl::StrJoin(characters, ""), kSmallest};
}

class Script {
 public:
  Script(const MatrixFigure& figure, const Layout& layout, ImageFormat format, Shading shading)
      : figure_(figure), layout_(layout), is_svg_(format == ImageFormat::kSvg), shading_(shading) {}

  std::string Text() {
    AppendData();
    AppendSettings();
    for (int64_t p = 0; p < static_cast<int64_t>(figure_.panels.size()); ++p) AppendPanel(p);
    absl::StrAppend(&text_, "unset multiplot\n");
    return std::move(text_);
  }

 private:
  // pngcairo counts in points of 1/72 inch and has 96 pixels an inch; svg counts in pixels.
  std::string Font(const char* name, double pixels) const {
    return absl::StrFormat("'%s,%.3g'", name, is_svg_ ? pixels : 0.75 * pixels);
  }
  double ScreenX(double x) const { return x / static_cast<double>(layout_.width); }
  double ScreenY(double y) const { return 1 - y / static_cast<double>(layout_.height); }
  double Shade(double weight) const {
    return shading_ == Shading::kLinear ? weight : std::sqrt(std::max(weight, 0.0));
  }

  void AppendData() {
    const int64_t size = figure_.size();
    absl::StrAppend(
        &text_,
        "# One block a matrix. Row i: the weights with which position i attends to each "
        "position; -1 is masked.\n");
    for (size_t p = 0; p < figure_.panels.size(); ++p) {
      absl::StrAppend(&text_, "$panel", p, " << END\n");
      for (int64_t i = 0; i < size; ++i) {
        for (int64_t j = 0; j < size; ++j) {
          if (j > 0) text_ += ' ';
          if (IsMasked(figure_, figure_.panels[p], i, j)) {
            text_ += "-1";
          } else {
            absl::StrAppendFormat(&text_, "%.4g", figure_.panels[p].weights[i * size + j]);
          }
        }
        text_ += '\n';
      }
      absl::StrAppend(&text_, "END\n");
    }
  }

  void AppendSettings() {
    absl::StrAppendFormat(
        &text_,
        "set encoding utf8\nset terminal %s noenhanced size %d,%d%s font %s background "
        "'#ffffff'\n",
        is_svg_ ? "svg" : "pngcairo", layout_.width, layout_.height, is_svg_ ? " dynamic" : "",
        Font("DejaVu Sans", layout_.panel_font));
    absl::StrAppend(&text_, kPalette, "shade(w) = ",
                    shading_ == Shading::kLinear ? "w >= 0 ? w : NaN" : "w >= 0 ? sqrt(w) : NaN",
                    "\n");
    const std::string last = absl::StrFormat("%.6g", static_cast<double>(figure_.size()) - 0.5);
    absl::StrAppend(&text_, "set xrange [-0.5:", last, "]\nset yrange [", last, ":-0.5]\n");
    absl::StrAppend(&text_, "set cbrange [0:1]\nunset key\nset border linecolor '#808080'\n");
    AppendTics("x");
    AppendTics("y");
    AppendColourBar();
    absl::StrAppendFormat(
        &text_,
        "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillstyle solid noborder "
        "fillcolor '%s'\n",
        kMaskColour);
    AppendHeading();
    absl::StrAppend(&text_, "set multiplot\n");
  }

  void AppendTics(const char* axis) {
    if (!layout_.shows_characters) {
      absl::StrAppendFormat(&text_, "set %stics out nomirror textcolor '#303030' font %s\n", axis,
                            Font("DejaVu Sans", layout_.label_font));
      return;
    }
    std::vector<std::string> tics;
    for (int64_t i = 0; i < figure_.size(); i += layout_.label_step) {
      tics.push_back(absl::StrCat(GnuplotTicText(figure_.labels[i]), " ", i));
    }
    // The offset brings the characters close to the cells, which have no tic marks.
    const std::string offset = *axis == 'x' ? "0,0.35" : "0.6,0";
    absl::StrAppend(&text_, "set ", axis, "tics scale 0 textcolor '#303030' offset ", offset,
                    " font ", Font("DejaVu Sans Mono", layout_.label_font), " (",
                    absl::StrJoin(tics, ", "), ")\n");
  }

  void AppendColourBar() {
    std::vector<std::string> tics;
    for (const char* weight : {"0", "0.01", "0.05", "0.1", "0.25", "0.5", "0.75", "1"}) {
      const bool is_crowded =
          shading_ == Shading::kLinear && std::atof(weight) > 0 && std::atof(weight) < 0.2;
      if (is_crowded) continue;
      tics.push_back(absl::StrFormat("'%s' %.5g", weight, Shade(std::atof(weight))));
    }
    const double x = layout_.width - 4 * layout_.panel_font - 12;
    const double height = std::min<double>(2.0 * layout_.side, layout_.height - layout_.Y(0) - 40);
    absl::StrAppendFormat(&text_, "set cbtics out scale 0.5 textcolor '#303030' font %s (%s)\n",
                          Font("DejaVu Sans", 0.95 * layout_.panel_font),
                          absl::StrJoin(tics, ", "));
    absl::StrAppendFormat(
        &text_, "set colorbox vertical user origin screen %.6f,%.6f size screen %.6f,%.6f\n",
        ScreenX(x), ScreenY(layout_.Y(0) + height), ScreenX(layout_.panel_font),
        1 - ScreenY(height));
    absl::StrAppendFormat(&text_, "set label 3 'weight' at screen %.6f,%.6f font %s\n",
                          ScreenX(x - 4), ScreenY(layout_.Y(0) - 1.4 * layout_.panel_font),
                          Font("DejaVu Sans", 0.95 * layout_.panel_font));
  }

  void AppendText(int tag, const std::string& text, double font, double width, double x, double y,
                  const char* style) {
    const FittedText fitted = Fit(text, font, width);
    absl::StrAppendFormat(&text_, "set label %d %s at screen %.6f,%.6f font %s %s\n", tag,
                          GnuplotText(fitted.text), ScreenX(x), ScreenY(y),
                          Font("DejaVu Sans", fitted.font), style);
  }

  // Labels belong to a plot, so these are taken away again after the first panel.
  void AppendHeading() {
    const double width = layout_.width - 2.0 * layout_.left;
    AppendText(1, figure_.title, layout_.title_font, width, layout_.left, 1.1 * layout_.title_font,
               "");
    AppendText(2, absl::StrCat(figure_.subtitle, " Grey is masked."), 0.62 * layout_.title_font,
               width, layout_.left, 2.4 * layout_.title_font, "textcolor '#505050'");
  }

  void AppendPanel(int64_t p) {
    const Panel& panel = figure_.panels[p];
    const double x = layout_.X(p % figure_.columns), y = layout_.Y(p / figure_.columns);
    const double side = layout_.side, font = layout_.panel_font;
    absl::StrAppendFormat(
        &text_,
        "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset tmargin at screen %.6f\nset "
        "bmargin at screen %.6f\n",
        ScreenX(x), ScreenX(x + side), ScreenY(y), ScreenY(y + side));
    AppendText(4, panel.title, font, side, x + side / 2,
               y - (panel.note.empty() ? 0.95 : 2.2) * font, "center");
    if (!panel.note.empty()) {
      AppendText(5, panel.note, 0.85 * font, side, x + side / 2, y - 0.95 * font,
                 "center textcolor '#505050'");
    }
    absl::StrAppend(&text_, "plot $panel", p, " matrix using 1:2:(shade($3)) with image\n");
    absl::StrAppend(&text_, "unset label 5\n");
    if (p == 0)
      absl::StrAppend(&text_, "unset label 1\nunset label 2\nunset label 3\nunset colorbox\n");
  }

  const MatrixFigure& figure_;
  const Layout& layout_;
  const bool is_svg_;
  const Shading shading_;
  std::string text_;
};

}  // namespace

absl::StatusOr<std::string> HeatmapScript(const MatrixFigure& figure, ImageFormat format,
                                          Shading shading) {
  if (absl::Status valid = Validate(figure); !valid.ok()) return valid;
  const absl::StatusOr<Layout> layout = MakeLayout(figure);
  if (!layout.ok()) return layout.status();
  return Script(figure, *layout, format, shading).Text();
}

absl::Status DrawHeatmaps(const MatrixFigure& figure, const std::string& path,
                          const HeatmapOptions& options) {
  const absl::StatusOr<ImageFormat> format = ImageFormatOf(path);
  if (!format.ok()) return format.status();
  const absl::StatusOr<std::string> script = HeatmapScript(figure, *format, options.shading);
  if (!script.ok()) return script.status();
  return DrawScript(*script, path, options.keep);
}

}  // namespace lemma::tools
