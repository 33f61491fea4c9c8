// What changes a tensor in place: for optimizers, initialisers and accumulation of gradients.
//
//   NoGrad no_grad;
//   Fill(x, 0);
//   CopyFrom(x, y);                  // x's elements become y's
//   AddInPlace(x, gradient, -0.1);   // x -= 0.1 gradient
//
// Nothing here is recorded, so it runs under NoGrad, or where nothing involved requires a
// gradient; elsewhere it throws. Each call raises the version of x's storage: a backward walk that
// needs the values from before throws instead of using the new ones. Where x is a view, the
// elements that it shows change, and no others. x must show each element once: an expanded x is
// refused.
#ifndef LEMMA_AUTOGRAD_OPS_IN_PLACE_H_
#define LEMMA_AUTOGRAD_OPS_IN_PLACE_H_

#include "autograd/tensor.h"

namespace lemma {

// Every element of x becomes `value`.
void Fill(Tensor& x, double value);

// Elements of x become those of `from`, broadcast to x's shape and converted to its dtype.
void CopyFrom(Tensor& x, const Tensor& from);

// x += alpha y, with y broadcast to x's shape; both have the same dtype, not bool.
void AddInPlace(Tensor& x, const Tensor& y, double alpha = 1);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_IN_PLACE_H_
