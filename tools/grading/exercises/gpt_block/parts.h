// The parts of a block, made from a probe's tensors.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_GPT_BLOCK_PARTS_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_GPT_BLOCK_PARTS_H_

#include <functional>
#include <string>

#include "autograd/tensor.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

using BlockPart = std::function<Tensor(const Tensor& x)>;

// "ln1" and "ln2": each row normalised, times the tensor of that name (C). "attn": a causal mean of
// the positions times "attn" (C, C). "mlp": tanh of the product with "mlp" (C, C).
BlockPart MakeBlockPart(const Values& in, const std::string& name);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_GPT_BLOCK_PARTS_H_
