// Elements by index.
//
//   Gather(x, 1, index);      // y[i, j] = x[i, index[i, j]]
//   OneHot(tokens, V);        // (B, T): (B, T, V)
//
// Indices are int64 and count from 0. One outside of the dimension that it names is an Error with
// its value and position. Meaning and names are PyTorch's.
#ifndef LEMMA_AUTOGRAD_OPS_GATHER_H_
#define LEMMA_AUTOGRAD_OPS_GATHER_H_

#include <cstdint>

#include "autograd/dtype.h"
#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// y[i, j, k] = x[i, index[i, j, k], k] for dim = 1. x and index have the same rank, and index is
// nowhere larger than x but along `dim`.
Tensor Gather(const Tensor& x, int64_t dim, const Tensor& index);
// x with src added: y[i, index[i, j, k], k] += src[i, j, k] for dim = 1. src is as large as index,
// or larger; what lies beyond index is left out.
Tensor ScatterAdd(Tensor x, int64_t dim, const Tensor& index, const Tensor& src);

// 1 at position index[...] of a new last dimension of size n, 0 elsewhere.
Tensor OneHot(const Tensor& index, int64_t n, DType dtype = DType::kInt64);

extern const OpDef kGather;
extern const OpDef kScatterAdd;
extern const OpDef kOneHot;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_GATHER_H_
