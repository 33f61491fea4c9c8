#include "nn/dropout.h"

#include <utility>

#include "autograd/ops/dropout.h"

namespace lemma::nn {

Dropout::Dropout(double p, Generator* generator) : p_(p), generator_(generator) {
  if (!(p >= 0 && p <= 1)) Fail("Dropout", "p: a probability is in [0, 1]; p is ", p);
  if (p > 0 && generator == nullptr) Fail("Dropout", "generator: p > 0 needs one to draw from");
}

double Dropout::scale() const { return p_ == 1 ? 0 : 1 / (1 - p_); }

Tensor Dropout::Forward(Tensor x) {
  if (!IsActive()) return x;
  return lemma::Dropout(std::move(x), p_, *generator_);
}

Tensor Dropout::Mask(const Shape& shape) {
  if (!IsActive()) return Tensor();
  return DropoutMask(shape, p_, *generator_);
}

}  // namespace lemma::nn
