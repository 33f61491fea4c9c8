#include "tests/propositions/layer_norm/norms.h"

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "nn/layer_norm.h"

namespace lemma::propositions {

Tensor Standardised(const Tensor& u) {
  nn::LayerNorm norm({.width = u.size(-1), .eps = kEps, .elementwise_affine = false});
  return norm(u);
}

Tensor Centred(const Tensor& u) { return u - Mean(u, {-1}, /*keepdim=*/true); }

Norm WrittenOut(double eps, double correction) {
  return [=](const Tensor& u) {
    return Centred(u) * Rsqrt(Var(u, {-1}, correction, /*keepdim=*/true) + eps);
  };
}

Tensor RmsNorm(const Tensor& u) { return u * Rsqrt(Mean(u * u, {-1}, /*keepdim=*/true) + kEps); }

Tensor EpsOutsideTheRoot(const Tensor& u) {
  return Centred(u) / (Sqrt(Var(u, {-1}, 0, /*keepdim=*/true)) + kEps);
}

Tensor HealthyRows(int64_t rows, int64_t width, Generator& generator, DType dtype) {
  const Tensor u = RandN({rows, width}, generator, dtype);
  return u * (Rand({rows, 1}, generator, dtype) * 5.0 + 2.5);
}

}  // namespace lemma::propositions
