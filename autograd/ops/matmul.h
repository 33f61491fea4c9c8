// Matrix products.
#ifndef LEMMA_AUTOGRAD_OPS_MATMUL_H_
#define LEMMA_AUTOGRAD_OPS_MATMUL_H_

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// a b, as torch.matmul: (..., M, K) times (..., K, N) -> (..., M, N), leading dimensions broadcast.
// A vector on the left is a row, on the right a column, and its dimension vanishes again. Operands
// are float tensors of one dtype; transposed views cost no copy.
Tensor MatMul(Tensor a, Tensor b);

// x W^T + b: x (..., in), weight (out, in), bias (out) or undefined -> (..., out).
Tensor Linear(Tensor x, Tensor weight, Tensor bias = {});

// c = op(a) op(b), or c += with `accumulate`, for matrices a and b; op transposes where asked to. c
// is contiguous, of any shape with M N elements. In place: nothing is recorded.
void MatMulInto(Tensor& c, const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b,
                bool accumulate);

// What MixedLinear shares with Linear: the shape rule, for inputs x, weight, bias or undefined; and
// x (..., C) as a matrix (N, C).
void LinearShape(OpCall& call);
Tensor AsMatrix(const Tensor& x);

extern const OpDef kMatMul;
extern const OpDef kLinear;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_MATMUL_H_
