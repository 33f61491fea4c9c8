// LayerNorm over the last dimension.
#ifndef LEMMA_NN_LAYER_NORM_H_
#define LEMMA_NN_LAYER_NORM_H_

#include <cstdint>

#include "autograd/tensor.h"
#include "nn/module.h"

namespace lemma::nn {

struct LayerNormOptions {
  int64_t width = 0;
  double eps = 1e-5;
  bool elementwise_affine = true;  // has a weight
  bool bias = true;                // and a bias
};

// x (..., width) -> the same shape (autograd/ops/layer_norm.h). Starts as weight 1, bias 0.
class LayerNorm : public Layer<LayerNorm> {
 public:
  explicit LayerNorm(const LayerNormOptions& options);

  const char* type() const override { return "LayerNorm"; }
  Tensor Forward(Tensor x);
  double eps() const { return options_.eps; }

  Tensor weight;  // (width), or undefined
  Tensor bias;    // (width), or undefined

 private:
  const LayerNormOptions options_;
};

}  // namespace lemma::nn

#endif  // LEMMA_NN_LAYER_NORM_H_
