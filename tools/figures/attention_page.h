// A page in which one points at a character and sees whom it attends to: one HTML file with its
// data, its style and its program, which loads nothing from anywhere.
//
//   absl::StatusOr<std::string> page = AttentionPage(figure);
//
// It works by mouse, touch and keyboard, head by head, and gives every weight as a number, to four
// decimals. Its source is attention_page.html, in which @TITLE@ and @DATA@ are replaced.
#ifndef LEMMA_TOOLS_FIGURES_ATTENTION_PAGE_H_
#define LEMMA_TOOLS_FIGURES_ATTENTION_PAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/figures/matrix_figure.h"

namespace lemma::tools {

// An error where the figure has more than 4 million weights, which no browser shows at ease.
// Titles and labels are shown as they are: nothing in them is markup.
absl::StatusOr<std::string> AttentionPage(const MatrixFigure& figure);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FIGURES_ATTENTION_PAGE_H_
