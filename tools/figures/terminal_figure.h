// Figures as text, for a terminal: matrices in block characters, charts in marks.
#ifndef LEMMA_TOOLS_FIGURES_TERMINAL_FIGURE_H_
#define LEMMA_TOOLS_FIGURES_TERMINAL_FIGURE_H_

#include <cstdint>
#include <string>

#include "tools/figures/matrix_figure.h"
#include "tools/plot.h"

namespace lemma::tools {

// The panels with a character a cell, two where that fits `width` columns, as many side by side as
// fit it:
//
//   layer 0, head 2
//   F│█
//   i│▓▒
//   r│▓░░
//    └───
//     Fir
//
// A weight below 0.02 is ·, below 0.1 ░, below 0.3 ▒, below 0.6 ▓, else █; what is masked is blank.
std::string TerminalHeatmaps(const MatrixFigure& figure, int64_t width);

// The curves by one mark each, in `width` columns, with the axes' ends and a legend.
std::string TerminalChart(const Chart& chart, int64_t width);

// The columns of the terminal that standard output is, else $COLUMNS, else 100.
int64_t TerminalWidth();

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FIGURES_TERMINAL_FIGURE_H_
