// Linear: y = x W^T + b.
#ifndef LEMMA_NN_LINEAR_H_
#define LEMMA_NN_LINEAR_H_

#include <cstdint>

#include "autograd/random.h"
#include "autograd/tensor.h"
#include "nn/module.h"

namespace lemma::nn {

struct LinearOptions {
  int64_t in = 0;
  int64_t out = 0;
  bool bias = true;
  // kBFloat16: products of rounded operands (autograd/ops/mixed_linear.h), all else float32.
  DType compute_dtype = DType::kFloat32;
  // With kBFloat16 whether the result is rounded too, as under PyTorch's autocast.
  bool round_result = true;
};

// x (..., in) -> (..., out). Initial weight and bias are uniform in +-1/sqrt(in), drawn in this
// order, as torch.nn.Linear. compute_dtype matters while parameters are float32.
class Linear : public Layer<Linear> {
 public:
  Linear(const LinearOptions& options, Generator& generator);
  // With uninitialised parameters, for owners that draw them by a rule of their own.
  explicit Linear(const LinearOptions& options);

  const char* type() const override { return "Linear"; }
  Tensor Forward(Tensor x);

  Tensor weight;  // (out, in)
  Tensor bias;    // (out), or undefined

 private:
  const DType compute_dtype_;
  const bool round_result_;
};

}  // namespace lemma::nn

#endif  // LEMMA_NN_LINEAR_H_
