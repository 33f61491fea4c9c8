// Parts of a tensor along one dimension, as views without a copy.
//
//   Tensor x = Reshape(Arange(24), {2, 3, 4});
//   Tensor last = Select(x, -1, -1);            // (2, 3)
//   Tensor odd = Slice(x, 2, 1, kToEnd, 2);     // (2, 3, 2)
//   std::vector<Tensor> qkv = Chunk(x, 3, 1);   // three of (2, 1, 4)
//
// Dimensions may be negative: they count from the end. The gradient of a part goes straight into
// its place in the gradient of the whole.
#ifndef LEMMA_AUTOGRAD_OPS_SLICE_H_
#define LEMMA_AUTOGRAD_OPS_SLICE_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "autograd/op.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"

namespace lemma {

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

// The inverse of Slice: zeros of `shape` with x at [..., start : start + n * step : step, ...]
// along `dim`, n = x.size(dim). Not a view.
Tensor PadSlice(Tensor x, const Shape& shape, int64_t dim, int64_t start, int64_t step = 1);

extern const OpDef kSlice;
extern const OpDef kSelect;
extern const OpDef kPadSlice;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_SLICE_H_
