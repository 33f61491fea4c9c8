// Exercise: a pre-norm block. You write gpt_block.cc; this file stays as it is.
#ifndef HOMEWORK_GPT_BLOCK_H_
#define HOMEWORK_GPT_BLOCK_H_

#include <functional>

#include "tools/grading/homework.h"

namespace homework {

// The block's parts, each (B, T, C) -> (B, T, C), are given.
struct BlockParts {
  std::function<Tensor(const Tensor&)> ln1, attn, ln2, mlp;
};

// x (B, T, C) -> (B, T, C): first attention, then the MLP; each reads a normalised copy of the
// stream and adds to it.
Tensor BlockForward(const BlockParts& parts, const Tensor& x);

}  // namespace homework

#endif  // HOMEWORK_GPT_BLOCK_H_
