#include "nn/linear.h"

#include <utility>

#include "autograd/ops/matmul.h"
#include "autograd/ops/mixed_linear.h"
#include "nn/init.h"

namespace lemma::nn {

Linear::Linear(const LinearOptions& options)
    : compute_dtype_(options.compute_dtype), round_result_(options.round_result) {
  if (options.in <= 0 || options.out <= 0) {
    Fail("Linear", "in and out must be positive; they are ", options.in, " and ", options.out);
  }
  weight = Tensor::Empty({options.out, options.in});
  if (options.bias) bias = Tensor::Empty({options.out});
  Register("weight", weight);
  Register("bias", bias);
}

Linear::Linear(const LinearOptions& options, Generator& generator) : Linear(options) {
  init::LinearUniform(weight, options.in, generator);
  if (bias.defined()) init::LinearUniform(bias, options.in, generator);
}

Tensor Linear::Forward(Tensor x) {
  if (compute_dtype_ == DType::kBFloat16 && weight.dtype() == DType::kFloat32) {
    return MixedLinear(std::move(x), weight, bias,
                       round_result_ ? DType::kBFloat16 : DType::kFloat32);
  }
  return lemma::Linear(std::move(x), weight, bias);
}

}  // namespace lemma::nn
