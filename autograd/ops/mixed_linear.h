// Products of rounded operands, for speed where the processor multiplies bfloat16.
#ifndef LEMMA_AUTOGRAD_OPS_MIXED_LINEAR_H_
#define LEMMA_AUTOGRAD_OPS_MIXED_LINEAR_H_

#include "autograd/dtype.h"
#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// Linear(x, weight, bias) with x and weight rounded to bfloat16 and their products summed in
// float32: x (..., in), weight (out, in), bias (out) or undefined -> (..., out), all float32. Of
// the gradients too, the operands of the products are rounded and the sums are float32, so weights,
// gradients and optimizer stay float32: Micikevicius et al., arXiv:1710.03740, without its loss
// scaling, since bfloat16 has float32's range. Backward keeps x itself and rounds it again.
//
// With kBFloat16 for `result` the sums are rounded too, as under PyTorch's autocast; an op that
// saves them for its gradient then keeps them as bfloat16, without loss and in half the memory.
// kFloat32 leaves them as they are, as logits want.
//
// float64 is not rounded: that is what tests differentiate.
Tensor MixedLinear(Tensor x, Tensor weight, Tensor bias = {}, DType result = DType::kBFloat16);

// Whether the processor multiplies bfloat16 faster than float32: it has AMX, or AVX512-BF16 that is
// no slower than its float32. Without it the same values are computed, more slowly than by Linear.
bool HasFastBFloat16();

// x in bfloat16, without history. What starts an array, as a weight does, is kept beside it until
// it changes, so that all products of a step share one conversion. float64 stays as it is.
Tensor RoundedCopy(const Tensor& x);
// Frees what RoundedCopy keeps of x. Backward does so after a weight's products, since most steps
// change the weight next.
void DropRoundedCopy(const Tensor& x);

extern const OpDef kMixedLinear;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_MIXED_LINEAR_H_
