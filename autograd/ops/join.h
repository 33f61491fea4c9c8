// Tensors put together into one.
//
//   Concat({a, b}, 1);  // (2, 3) and (2, 5): (2, 8)
//   Stack({a, a}, 0);   // (2, 3) twice: (2, 2, 3)
//
// All have the same dtype. Dimensions may be negative: they count from the end.
#ifndef LEMMA_AUTOGRAD_OPS_JOIN_H_
#define LEMMA_AUTOGRAD_OPS_JOIN_H_

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// One behind the other along `dim`; their other sizes are equal. As in PyTorch, a tensor of shape
// (0,) joins any others.
Tensor Concat(absl::Span<const Tensor> tensors, int64_t dim = 0);
// Along a new dimension, `dim` of the result. All shapes are equal.
Tensor Stack(absl::Span<const Tensor> tensors, int64_t dim = 0);

extern const OpDef kConcat;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_JOIN_H_
