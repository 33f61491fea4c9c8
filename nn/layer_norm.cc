#include "nn/layer_norm.h"

#include <utility>

#include "autograd/create.h"
#include "autograd/ops/layer_norm.h"

namespace lemma::nn {

LayerNorm::LayerNorm(const LayerNormOptions& options) : options_(options) {
  if (options.width <= 0) Fail("LayerNorm", "width must be positive; it is ", options.width);
  if (options.elementwise_affine) {
    weight = Ones({options.width});
    if (options.bias) bias = Zeros({options.width});
  }
  Register("weight", weight);
  Register("bias", bias);
}

Tensor LayerNorm::Forward(Tensor x) {
  return lemma::LayerNorm(std::move(x), {options_.width}, weight, bias, options_.eps);
}

}  // namespace lemma::nn
