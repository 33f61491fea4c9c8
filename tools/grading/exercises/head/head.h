// Exercise: a causal head that keeps its weights. You write head.cc; this file stays as it is.
//
// Shapes: B batch, T time, C width of the inputs, D width of the head.
#ifndef HOMEWORK_HEAD_H_
#define HOMEWORK_HEAD_H_

#include "nn/linear.h"
#include "tools/grading/homework.h"

namespace homework {

// A Linear l is called as l(x).
struct Head {
  nn::Linear key, query, value;  // (B, T, C) -> (B, T, D), without bias
  bool causal;                   // whether later keys are hidden
  Tensor A;                      // set by HeadForward: the weights (B, T, T), for pictures
};

// x (B, T, C) -> softmax(q k^T / sqrt(D)) v, (B, T, D); with head.causal, later keys are hidden
// before the softmax. head.A becomes the weights.
Tensor HeadForward(Head& head, const Tensor& x);

}  // namespace homework

#endif  // HOMEWORK_HEAD_H_
