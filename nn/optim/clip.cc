#include "nn/optim/clip.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/error.h"
#include "autograd/kernels/adamw.h"
#include "autograd/ops/arithmetic.h"

namespace lemma::optim {

double GradNorm(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> keep_alive;
  std::vector<kernels::ConstRun<float>> floats;
  std::vector<kernels::ConstRun<double>> doubles;
  for (const Tensor& parameter : parameters) {
    const Tensor grad = parameter.grad();
    if (!grad.defined()) continue;
    keep_alive.push_back(grad.DetachedContiguous());
    const Tensor& dense = keep_alive.back();
    if (dense.dtype() == DType::kFloat64) {
      doubles.push_back({dense.data<double>(), dense.numel()});
    } else {
      floats.push_back({dense.data<float>(), dense.numel()});
    }
  }
  return std::sqrt(kernels::SumOfSquares<float>(floats) + kernels::SumOfSquares<double>(doubles));
}

double ClipFactor(double norm, double max_norm) {
  if (!(max_norm > 0)) Fail("clip", "max_norm: it must be positive; it is ", max_norm);
  return std::min(1.0, max_norm / (norm + 1e-6));
}

double ClipGradNorm(const std::vector<Tensor>& parameters, double max_norm) {
  const double norm = GradNorm(parameters);
  const double factor = ClipFactor(norm, max_norm);
  NoGrad no_grad;
  for (Tensor parameter : parameters) {
    if (parameter.grad().defined()) parameter.SetGrad(parameter.grad() * factor);
  }
  return norm;
}

}  // namespace lemma::optim
