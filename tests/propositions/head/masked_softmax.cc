#include "tests/propositions/head/masked_softmax.h"

#include <cmath>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "tests/propositions/head/head.h"

namespace lemma::propositions {

Tensor MaskBefore(const Tensor& scores) {
  return Softmax(MaskedFill(scores, LogicalNot(CausalMask(scores.size(0))), -INFINITY), -1);
}

Tensor MaskAfter(const Tensor& scores) {
  return MaskedFill(Softmax(scores, -1), LogicalNot(CausalMask(scores.size(0))), 0);
}

Tensor MaskAfterRenormalised(const Tensor& scores) {
  const Tensor a = MaskAfter(scores);
  return a / Sum(a, {-1}, /*keepdim=*/true);
}

}  // namespace lemma::propositions
