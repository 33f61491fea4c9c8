// Attention as a function of its knobs: what the exercises about attention share.
#ifndef LEMMA_TOOLS_GRADING_ATTENTION_KNOBS_H_
#define LEMMA_TOOLS_GRADING_ATTENTION_KNOBS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "autograd/tensor.h"
#include "tools/grading/knobs.h"

namespace lemma::tools::grading {

// x (B, T, C); q, k, v (..., T, D).
struct AttentionProjections {
  Tensor x, q, k, v;
};

struct AttentionResult {
  Tensor out;       // (..., T, D)
  Tensor weights;   // (..., T, T), those that mix the values
  Tensor returned;  // the same, but for mistakes in what is returned
};

// The knobs "roles", "scale", "mask", "fill", "softmax", "mix". Sizes in their texts: B, T, C, D.
std::vector<Knob> AttentionKnobs();
// "returned": of what is given back beside the output.
std::vector<Knob> ReturnedWeightsKnobs();

// Causal attention with these mistakes; Mistakes::number is what scores are divided by. `width` is
// C. `drop` is applied to the weights, where given.
AttentionResult KnobbedAttention(const AttentionProjections& projections, int64_t width,
                                 const Mistakes& mistakes,
                                 const std::function<Tensor(Tensor)>& drop = {});

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_ATTENTION_KNOBS_H_
