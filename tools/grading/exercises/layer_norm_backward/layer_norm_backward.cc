#include "layer_norm_backward.h"

namespace homework {

NormGradients LayerNormBackward(const Tensor& x, const Tensor& weight, const Tensor& dy,
                                double eps) {
  (void)x, (void)weight, (void)dy, (void)eps;
  // TODO: dbias and dweight are sums over rows. For dx: what do the mean and the variance take
  // away?
  throw std::logic_error("TODO: the backward is not written yet");
}

}  // namespace homework
