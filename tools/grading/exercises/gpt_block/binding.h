// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_GPT_BLOCK_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_GPT_BLOCK_BINDING_H_

#include "tools/grading/exercises/gpt_block/gpt_block.h"
#include "tools/grading/exercises/gpt_block/parts.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallGptBlock(const Function& function, const Values& in) {
  homework::BlockParts parts;
  parts.ln1 = MakeBlockPart(in, "ln1");
  parts.attn = MakeBlockPart(in, "attn");
  parts.ln2 = MakeBlockPart(in, "ln2");
  parts.mlp = MakeBlockPart(in, "mlp");
  return Values().Add("y", function(parts, in["x"]));
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_GPT_BLOCK_BINDING_H_
