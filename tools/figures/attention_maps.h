// The attention matrices of a GPT on a text.
//
//   std::vector<Tensor> maps = ObserveAttention(model, FromVector(tokens, {1, t}));
//   maps[2];   // A of layer 2: (B, H, T, T)
#ifndef LEMMA_TOOLS_FIGURES_ATTENTION_MAPS_H_
#define LEMMA_TOOLS_FIGURES_ATTENTION_MAPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "autograd/tensor.h"
#include "models/gpt/gpt.h"
#include "tools/figures/matrix_figure.h"

namespace lemma::tools {

// Runs the model once, without gradients, on tokens int64 (B, T), T <= context, and returns what
// its attentions report: one float32 tensor (B, H, T, T) a layer. The model should be in Eval().
std::vector<Tensor> ObserveAttention(models::Gpt& model, const Tensor& tokens);

// Which layers and heads to show; -1 for all.
struct HeadChoice {
  int64_t layer = -1;
  int64_t head = -1;
};

// A layer and a head of the model, as a choice's panels are ordered: layer by layer.
struct HeadIndex {
  int64_t layer = 0;
  int64_t head = 0;
};

// The chosen heads of a model. The error names the flag and the range: "--layer=7: the model has
// layers 0 to 3".
absl::StatusOr<std::vector<HeadIndex>> ChosenHeads(const models::GptConfig& config,
                                                   const HeadChoice& choice);

// One panel a chosen head, of the first text of the batch; a layer a row, or all of one row where
// one head of every layer is chosen. Title and labels are left to the caller.
MatrixFigure HeadPanels(const std::vector<Tensor>& maps, const std::vector<HeadIndex>& heads);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FIGURES_ATTENTION_MAPS_H_
