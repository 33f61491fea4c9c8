// Exercise: the backward of layer normalisation. You write layer_norm_backward.cc; this file stays.
#ifndef HOMEWORK_LAYER_NORM_BACKWARD_H_
#define HOMEWORK_LAYER_NORM_BACKWARD_H_

#include "tools/grading/homework.h"

namespace homework {

struct NormGradients {
  Tensor dx;       // (N, C)
  Tensor dweight;  // (C)
  Tensor dbias;    // (C)
};

// Of y = xhat * weight + bias, xhat = (x - mean) / sqrt(variance + eps), rows of x (N, C): given dy
// (N, C), the gradients. The variance is the biased one.
NormGradients LayerNormBackward(const Tensor& x, const Tensor& weight, const Tensor& dy,
                                double eps);

}  // namespace homework

#endif  // HOMEWORK_LAYER_NORM_BACKWARD_H_
