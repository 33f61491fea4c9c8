// Exercise: the number of a GPT's parameters. You write gpt_count.cc; this file stays as it is.
#ifndef HOMEWORK_GPT_COUNT_H_
#define HOMEWORK_GPT_COUNT_H_

#include "tools/grading/homework.h"

namespace homework {

// The course's GPT: embeddings of tokens and positions; L blocks of two LayerNorms (weight and
// bias), attention (q, k and v without bias, a projection with one) and an MLP of width 4C (two
// Linear with bias); a final LayerNorm; a head without bias, of its own.
struct GptSizes {
  int64_t V;  // vocabulary
  int64_t T;  // context
  int64_t C;  // width
  int64_t H;  // heads, each of width C / H
  int64_t L;  // blocks
};

// 816,640 for V = 65, T = 64, C = 128, H = 4, L = 4.
int64_t CountParameters(const GptSizes& sizes);

}  // namespace homework

#endif  // HOMEWORK_GPT_COUNT_H_
