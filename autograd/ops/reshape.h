// Views of all elements of a tensor through another shape, without a copy.
//
//   Tensor x = Arange(24);                               // autograd/create.h
//   Tensor y = Transpose(Reshape(x, {2, -1, 4}), 1, 2);  // (2, 4, 3), a view of x
//
// What changes the elements of a view in place changes those of the tensor that it looks at.
// Dimensions may be negative: they count from the end. Names and meaning are PyTorch's.
#ifndef LEMMA_AUTOGRAD_OPS_RESHAPE_H_
#define LEMMA_AUTOGRAD_OPS_RESHAPE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/op.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"

namespace lemma {

// The elements in row-major order under another shape. One size may be -1: it follows from the
// others. A view where the strides allow it, else a copy.
Tensor Reshape(Tensor x, const Shape& shape);
// Dimensions [start, end] become one; a scalar becomes (1).
Tensor Flatten(Tensor x, int64_t start = 0, int64_t end = -1);
// Puts a dimension of size 1 before dimension `dim` of x; -1 puts it last.
Tensor Unsqueeze(Tensor x, int64_t dim);
// Drops dimension `dim` if its size is 1; without `dim`, every dimension of size 1.
Tensor Squeeze(Tensor x, int64_t dim);
Tensor Squeeze(Tensor x);

// Swaps two dimensions.
Tensor Transpose(Tensor x, int64_t dim0, int64_t dim1);
// Dimension i of the result is dimension dims[i] of x.
Tensor Permute(Tensor x, absl::Span<const int64_t> dims);

// Stretches dimensions of size 1, and puts new ones in front; -1 keeps a size.
Tensor Expand(Tensor x, const Shape& shape);

// The same view as another result: a gradient hook or an edge of its own.
Tensor Alias(Tensor x);
// A row-major copy.
Tensor Clone(const Tensor& x);
// x itself where it is row-major already, else a copy.
Tensor Contiguous(Tensor x);
// The same elements without history.
Tensor Detach(const Tensor& x);

extern const OpDef kReshape;
extern const OpDef kPermute;
extern const OpDef kExpand;
extern const OpDef kAlias;
extern const OpDef kClone;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_RESHAPE_H_
