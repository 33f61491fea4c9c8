// Softmax and its logarithm.
#ifndef LEMMA_AUTOGRAD_OPS_SOFTMAX_H_
#define LEMMA_AUTOGRAD_OPS_SOFTMAX_H_

#include <cstdint>

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// exp(x) / sum(exp(x)) along `dim`. Stable: the largest value is subtracted first. -inf gives 0;
// a slice of -inf alone gives NaN, as in PyTorch.
Tensor Softmax(Tensor x, int64_t dim);

// x - log(sum(exp(x))) along `dim`, more exact than Log(Softmax(x)).
Tensor LogSoftmax(Tensor x, int64_t dim);

extern const OpDef kSoftmax;
extern const OpDef kLogSoftmax;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_SOFTMAX_H_
