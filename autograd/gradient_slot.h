// One gradient in the making: the sum of the contributions that a walk has met so far.
#ifndef LEMMA_AUTOGRAD_GRADIENT_SLOT_H_
#define LEMMA_AUTOGRAD_GRADIENT_SLOT_H_

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// Each function adds to the gradient `sum` of a tensor of spec `spec`; an undefined sum is zero.
// A first contribution is stored, not added. Later ones are added in place where `sum` alone owns
// its elements and nothing is recorded, else into a new tensor.

// sum += grad, which has the spec's shape.
void Accumulate(Tensor& sum, Tensor grad);

// sum += op(a) op(b), which has the spec's number of elements; a, b of rank 2.
void AccumulateProduct(Tensor& sum, const TensorSpec& spec, const Tensor& a, bool transpose_a,
                       const Tensor& b, bool transpose_b);

// sum[..., start : start + n * step : step, ...] += grad along `dim`, n = grad.size(dim).
void AccumulateSlice(Tensor& sum, const TensorSpec& spec, int dim, int64_t start, int64_t step,
                     const Tensor& grad);

// sum[index[j]] += grad[j], rows along dimension 0.
void AccumulateRows(Tensor& sum, const TensorSpec& spec, const Tensor& index, const Tensor& grad);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_GRADIENT_SLOT_H_
