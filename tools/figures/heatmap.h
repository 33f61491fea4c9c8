// Pictures of matrices by gnuplot: one panel a matrix, characters on the axes, one colour bar.
//
//   absl::Status status = DrawHeatmaps(figure, "heads.png", {});
#ifndef LEMMA_TOOLS_FIGURES_HEATMAP_H_
#define LEMMA_TOOLS_FIGURES_HEATMAP_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/figures/matrix_figure.h"
#include "tools/gnuplot.h"

namespace lemma::tools {

// How a weight becomes a colour. Rows sum to 1, so far down most weights are near 1/T, and a linear
// scale leaves them white. By the square root 0.01 is a tenth of the way. The bar's numbers are the
// weights either way.
enum class Shading { kSquareRoot, kLinear };

struct HeatmapOptions {
  Shading shading = Shading::kSquareRoot;
  bool keep = false;  // the gnuplot program too (tools/gnuplot.h)
};

// The gnuplot program, data included. Cells are 9 to 60 pixels wide and the axes name each
// character; where the cells get too small for that, the axes are numbered. An error where even
// cells of one pixel make the picture wider or higher than 12,000 of them.
absl::StatusOr<std::string> HeatmapScript(const MatrixFigure& figure, ImageFormat format,
                                          Shading shading);

// Draws into `path`, .png or .svg.
absl::Status DrawHeatmaps(const MatrixFigure& figure, const std::string& path,
                          const HeatmapOptions& options);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FIGURES_HEATMAP_H_
