// Powers, element by element.
//
//   Pow(x, 3);      Pow(2, x);      Pow(x, y);
//
// Of float types; shapes broadcast. As in C: Pow(x, 0) is 1 for every x, NaN too, and a negative
// base has whole exponents only. Where the exponent is 0, the gradient of the base is 0; where the
// base is 0 and the exponent is not negative, the gradient of the exponent is 0.
#ifndef LEMMA_AUTOGRAD_OPS_POW_H_
#define LEMMA_AUTOGRAD_OPS_POW_H_

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

Tensor Pow(Tensor base, Tensor exponent);
Tensor Pow(Tensor base, double exponent);
Tensor Pow(double base, Tensor exponent);

extern const OpDef kPow;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_POW_H_
