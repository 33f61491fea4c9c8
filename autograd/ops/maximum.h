// The larger and the smaller of two tensors, element by element.
//
// Shapes broadcast; both have the same dtype, and a number takes that of the tensor. Where one of
// the two is NaN the result is NaN. Where both are equal each gets half of the gradient.
#ifndef LEMMA_AUTOGRAD_OPS_MAXIMUM_H_
#define LEMMA_AUTOGRAD_OPS_MAXIMUM_H_

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

Tensor Maximum(Tensor a, Tensor b);
Tensor Maximum(Tensor a, double b);
Tensor Minimum(Tensor a, Tensor b);
Tensor Minimum(Tensor a, double b);

extern const OpDef kMaximum;
extern const OpDef kMinimum;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_MAXIMUM_H_
