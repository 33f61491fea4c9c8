// Views: tensors that look at the same elements through another shape, without a copy.
//
//   Tensor x = Arange(0, 24);                            // autograd/create.h
//   Tensor y = Transpose(Reshape(x, {2, -1, 4}), 1, 2);  // (2, 4, 3), a view of x
//   Tensor last = Select(y, -1, -1);                     // (2, 4)
//
// What changes the elements of a view in place changes those of the tensor that it looks at.
// Dimensions may be negative: they count from the end. Names and meaning are PyTorch's.
#ifndef LEMMA_AUTOGRAD_OPS_VIEWS_H_
#define LEMMA_AUTOGRAD_OPS_VIEWS_H_

#include <cstdint>
#include <limits>
#include <vector>

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

constexpr int64_t kToEnd = std::numeric_limits<int64_t>::max();
// x[..., start : end : step, ...] along `dim`, as a slice in Python: negative bounds count from the
// end, bounds outside are moved to the nearest end. step >= 1.
Tensor Slice(Tensor x, int64_t dim, int64_t start, int64_t end = kToEnd, int64_t step = 1);
// x[..., index, ...] along `dim`; the result lacks that dimension.
Tensor Select(Tensor x, int64_t dim, int64_t index);
// Pieces of `size` along `dim`, the last one shorter where size does not divide.
std::vector<Tensor> Split(const Tensor& x, int64_t size, int64_t dim = 0);
// Pieces of these sizes along `dim`, which must sum to its size.
std::vector<Tensor> Split(const Tensor& x, absl::Span<const int64_t> sizes, int64_t dim = 0);
// At most `chunks` pieces of equal size along `dim`, the last one possibly shorter.
std::vector<Tensor> Chunk(const Tensor& x, int64_t chunks, int64_t dim = 0);

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
extern const OpDef kSlice;
extern const OpDef kSelect;
extern const OpDef kExpand;
extern const OpDef kAlias;
extern const OpDef kClone;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_VIEWS_H_
