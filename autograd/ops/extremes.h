// Greatest and least elements, and where they are.
//
//   auto [values, indices] = Max(x, -1);   // of each row
//   Tensor tokens = ArgMax(logits, -1);
//   auto top = TopK(logits, 5);            // top.values, top.indices: (..., 5)
//
// NaN counts as greater than any number in Max, AMax, ArgMax and TopK, and as less in Min, AMin and
// ArgMin: it is what they return. Of equal elements the first is named. Indices are int64. To take
// an extreme of no elements is an Error.
#ifndef LEMMA_AUTOGRAD_OPS_EXTREMES_H_
#define LEMMA_AUTOGRAD_OPS_EXTREMES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

struct ValuesAndIndices {
  Tensor values;
  Tensor indices;
};

// Along one dimension. The gradient goes to the element that is named.
ValuesAndIndices Max(const Tensor& x, int64_t dim, bool keepdim = false);
ValuesAndIndices Min(const Tensor& x, int64_t dim, bool keepdim = false);

// Along any dimensions, all where none is named. Equal elements share the gradient evenly.
Tensor AMax(const Tensor& x, absl::Span<const int64_t> dims = {}, bool keepdim = false);
Tensor AMin(const Tensor& x, absl::Span<const int64_t> dims = {}, bool keepdim = false);
Tensor Max(const Tensor& x);
Tensor Min(const Tensor& x);

// Without `dim`, the index in the flattened tensor.
Tensor ArgMax(const Tensor& x);
Tensor ArgMin(const Tensor& x);
Tensor ArgMax(const Tensor& x, int64_t dim, bool keepdim = false);
Tensor ArgMin(const Tensor& x, int64_t dim, bool keepdim = false);

// The k greatest (or least) elements along `dim`, the first of equal ones first: in the order of
// their values, or with sorted = false in the order of their places. As in a sort, NaN is the
// greatest value: with largest = false it comes last.
ValuesAndIndices TopK(const Tensor& x, int64_t k, int64_t dim = -1, bool largest = true,
                      bool sorted = true);

extern const OpDef kMax;
extern const OpDef kMin;
extern const OpDef kAMax;
extern const OpDef kAMin;
extern const OpDef kArgMax;
extern const OpDef kArgMin;
extern const OpDef kTopK;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_EXTREMES_H_
