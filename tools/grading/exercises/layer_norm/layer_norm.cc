#include "layer_norm.h"

namespace homework {

Tensor NormaliseRows(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
  (void)x, (void)weight, (void)bias, (void)eps;
  // TODO: Mean(x, {-1}, true) keeps the dimension, so that it broadcasts.
  throw std::logic_error("TODO: layer normalisation is not written yet");
}

}  // namespace homework
