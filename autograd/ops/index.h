// Rows by index.
//
//   Embedding(tokens, weight);     // (B, T) indices into (V, C): (B, T, C)
//   IndexSelect(x, 0, rows);       // y[i] = x[rows[i]]
//
// Elements by index stand in autograd/ops/gather.h.
//
// Indices are int64 and count from 0. One outside of the dimension that it names is an Error with
// its value and position. Where several indices name the same place, sums are added in the order of
// the indices, so results don't depend on the number of threads. Meaning and names are PyTorch's.
#ifndef LEMMA_AUTOGRAD_OPS_INDEX_H_
#define LEMMA_AUTOGRAD_OPS_INDEX_H_

#include <cstdint>
#include <optional>

#include "autograd/op.h"
#include "autograd/ops/gather.h"  // IWYU pragma: export
#include "autograd/tensor.h"

namespace lemma {

// y[.., i, ..] = x[.., index[i], ..] along `dim`, for an index of rank 1.
Tensor IndexSelect(const Tensor& x, int64_t dim, const Tensor& index);
// x with src added: y[.., index[i], ..] += src[.., i, ..] along `dim`, for an index of rank 1.
Tensor IndexAdd(Tensor x, int64_t dim, const Tensor& index, const Tensor& src);
// Rows of `weight` (V, C), a table, for indices of any shape: index.shape() and then C. The row
// `padding_idx`, which may be negative, gets no gradient.
Tensor Embedding(const Tensor& index, const Tensor& weight,
                 std::optional<int64_t> padding_idx = std::nullopt);

// x[index[i]] += src[i] for the rows along dimension 0 of a row-major x: IndexAdd in place, under
// the rules of autograd/ops/in_place.h.
void IndexAddInPlace(Tensor& x, const Tensor& index, const Tensor& src);

extern const OpDef kIndexSelect;
extern const OpDef kIndexAdd;
extern const OpDef kEmbedding;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_INDEX_H_
