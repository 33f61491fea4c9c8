// What a picture of attention shows, before it is drawn: square matrices over the positions of one
// text, laid out in rows of panels. heatmap.h, terminal_figure.h and attention_page.h draw it.
#ifndef LEMMA_TOOLS_FIGURES_MATRIX_FIGURE_H_
#define LEMMA_TOOLS_FIGURES_MATRIX_FIGURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lemma::tools {

// One matrix A (T, T): row i says how much position i attends to each position.
struct Panel {
  std::string title;           // "layer 0, head 2"
  std::string note = {};       // a second, smaller line, or empty
  std::vector<float> weights;  // T * T, in rows
};

struct MatrixFigure {
  std::string title;
  std::string subtitle;             // a sentence; what shows the figure adds how it shows masks
  std::vector<std::string> labels;  // T: what stands at each position, as it is to be shown
  int64_t columns = 1;              // panels in a row
  std::vector<Panel> panels = {};

  int64_t size() const { return static_cast<int64_t>(labels.size()); }  // T
  int64_t rows() const { return (static_cast<int64_t>(panels.size()) + columns - 1) / columns; }
};

// Whether entry (i, j) lies in the future and holds nothing, as the mask makes it: such entries are
// left grey or blank. One above the diagonal that is not zero is shown, as it would be a leak.
bool IsMasked(const MatrixFigure& figure, const Panel& panel, int64_t i, int64_t j);

// Whether there are panels, each with T * T finite weights.
absl::Status Validate(const MatrixFigure& figure);

// One label a character of a text in UTF-8, where bytes that are not UTF-8 are U+FFFD. What would
// not be seen is made visible: newline as "↵", space as "␣", tab as "⇥", other controls as the
// pictures of them from U+2400 on, what reorders or joins its neighbours as "▯", and a combining
// mark on a dotted circle.
std::vector<std::string> VisibleCharacters(absl::string_view text);

// "0", "1", ...: labels where there is no text.
std::vector<std::string> PositionLabels(int64_t count);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FIGURES_MATRIX_FIGURE_H_
