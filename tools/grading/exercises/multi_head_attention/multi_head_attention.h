// Exercise: causal attention of several heads. You write multi_head_attention.cc; this file stays.
//
// Shapes: B batch, T time, C width of the inputs, H heads, D width of a head.
#ifndef HOMEWORK_MULTI_HEAD_ATTENTION_H_
#define HOMEWORK_MULTI_HEAD_ATTENTION_H_

#include "nn/dropout.h"
#include "nn/linear.h"
#include "tools/grading/homework.h"

namespace homework {

// The layer's parts; its constructor is given. A Linear l is called as l(x).
struct MultiHeadAttention {
  nn::Linear W_q, W_k, W_v;  // (B, T, C) -> (B, T, H D), without bias
  nn::Linear out_proj;       // (B, T, H D) -> (B, T, H D)
  nn::Dropout dropout;       // of the weights: dropout(weights); does nothing in evaluation
  int64_t heads;             // H
};

// x (B, T, C) -> (B, T, H D):
//   q, k, v = W_q(x), W_k(x), W_v(x), each split into heads: (B, H, T, D)
//   weights = dropout(softmax(causally masked q k^T / sqrt(D)))         (B, H, T, T)
//   the heads' results, merged again, through out_proj
// Head h has columns h D to (h + 1) D of q, k, v and of the merged result.
Tensor MultiHeadForward(MultiHeadAttention& layer, const Tensor& x);

}  // namespace homework

#endif  // HOMEWORK_MULTI_HEAD_ATTENTION_H_
