// Dropout. Srivastava et al., JMLR 15 (2014).
#ifndef LEMMA_AUTOGRAD_OPS_DROPOUT_H_
#define LEMMA_AUTOGRAD_OPS_DROPOUT_H_

#include "autograd/op.h"
#include "autograd/random.h"
#include "autograd/tensor.h"

namespace lemma {

// A float32 tensor of 1 with probability 1 - p and 0 with probability p, drawn as PyTorch draws
// the mask of its dropout. Ops draw nothing: masks are arguments.
Tensor DropoutMask(const Shape& shape, double p, Generator& generator);

// x * keep * scale, where keep is float32 of x's shape. With scale = 1 / (1 - p) the mean of the
// result is x.
Tensor ApplyDropout(Tensor x, Tensor keep, double scale);

// Both at once: elements vanish with probability p in [0, 1], the others are divided by 1 - p.
// With p = 0 nothing is drawn and x is returned.
Tensor Dropout(Tensor x, double p, Generator& generator);

extern const OpDef kDropout;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_DROPOUT_H_
