// Exercise: causal attention of one head. You write causal_attention.cc; this file stays as it is.
//
// Shapes: B batch, T time, C width of the inputs, D width of the head.
#ifndef HOMEWORK_CAUSAL_ATTENTION_H_
#define HOMEWORK_CAUSAL_ATTENTION_H_

#include "tools/grading/homework.h"

namespace homework {

struct Attention {
  Tensor out;      // (B, T, D)
  Tensor weights;  // (B, T, T): row i says how query i weighs the keys
};

// x (B, T, C), Wq, Wk, Wv (C, D) ->
//   q, k, v = x Wq, x Wk, x Wv                      (B, T, D)
//   scores = q k^T / sqrt(D)                        (B, T, T)
//   weights = softmax over the keys of the scores, in which those of later keys are -inf
//   out = weights v
Attention CausalAttention(const Tensor& x, const Tensor& Wq, const Tensor& Wk, const Tensor& Wv);

}  // namespace homework

#endif  // HOMEWORK_CAUSAL_ATTENTION_H_
