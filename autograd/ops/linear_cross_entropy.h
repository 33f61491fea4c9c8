// Unembedding and loss in one.
#ifndef LEMMA_AUTOGRAD_OPS_LINEAR_CROSS_ENTROPY_H_
#define LEMMA_AUTOGRAD_OPS_LINEAR_CROSS_ENTROPY_H_

#include "autograd/op.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/tensor.h"

namespace lemma {

// CrossEntropy(Linear(x, weight), targets) for x (N, C), weight (V, C), targets int64 (N), without
// ever holding the N x V logits: they are made, used and dropped a block of rows at a time. When
// it is recorded, the gradients are computed in the same pass and backward only scales them. The
// reduction is a mean or a sum. With kBFloat16 for `compute` the operands of all products of
// float32 are rounded, as MixedLinear does; logits, losses and sums stay float32.
Tensor LinearCrossEntropy(Tensor x, Tensor weight, Tensor targets,
                          const CrossEntropyOptions& options = {}, DType compute = DType::kFloat32);

extern const OpDef kLinearCrossEntropy;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_LINEAR_CROSS_ENTROPY_H_
