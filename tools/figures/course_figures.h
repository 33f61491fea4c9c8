// The figures of the course's notebooks on attention and on the assembled GPT, computed by this
// library's layers.
#ifndef LEMMA_TOOLS_FIGURES_COURSE_FIGURES_H_
#define LEMMA_TOOLS_FIGURES_COURSE_FIGURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tools/figures/matrix_figure.h"
#include "tools/plot.h"

namespace lemma::tools {

// Step 4, section 4.4: heads of width 16 with initial values from the seeds 0, 1, ..., all on the
// same text, whose embeddings (token plus position, width 32) the notebook draws before. Those
// follow from what else it has drawn since its manual_seed(0), and all of that is drawn here too,
// so the panels are the notebook's, to rounding. `tokens` are below `vocab`; in the course they are
// the first 48 characters of tiny Shakespeare. Labels are left to the caller.
MatrixFigure UntrainedHeads(absl::Span<const int64_t> tokens, int64_t vocab, int64_t seeds = 5);

// Step 4, section 4.5: attention whose scores depend on the positions alone, -(i - j)^2 / (2 s^2),
// is a Gaussian smoother of bandwidth s over the past, and for s = infinity, where W_Q = W_K = 0
// gives it, the running mean. One panel a bandwidth, which is positive. Labels as above.
MatrixFigure KernelSmoothing(int64_t size, const std::vector<double>& bandwidths);

// Step 5, "LayerNorm geometry": how far LayerNorm(u), without weight and bias, is from the sphere
// of radius sqrt(width) and from invariance to scale, against the variance v of the row u. By the
// formula its norm is sqrt(width) times sqrt(v / (v + eps)); the points are measured on the layer.
Chart LayerNormCurve(int64_t width = 128, double eps = 1e-5);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FIGURES_COURSE_FIGURES_H_
