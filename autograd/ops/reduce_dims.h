// The dimensions of a reduction.
#ifndef LEMMA_AUTOGRAD_OPS_REDUCE_DIMS_H_
#define LEMMA_AUTOGRAD_OPS_REDUCE_DIMS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/shape.h"

namespace lemma::internal {

// Which dimensions are reduced: bit i for dimension i.
using DimMask = uint64_t;

// The mask of `dims`, all for an empty list. Throws Error in the name of `op` for a dimension that
// does not exist or is named twice.
DimMask MaskOf(const char* op, absl::Span<const int64_t> dims, int rank);

// The dimensions in a mask.
absl::InlinedVector<int64_t, 6> DimsOf(DimMask mask);

// `shape` with 1 for each reduced dimension.
Shape KeptShape(const Shape& shape, DimMask mask);
// `shape` without the reduced dimensions.
Shape DroppedShape(const Shape& shape, DimMask mask);
// The number of elements that make one element of the result.
int64_t ReducedCount(const Shape& shape, DimMask mask);

// One pass of a reduction over a dense array, seen as (outer, n, inner) with n reduced.
struct ReducePass {
  int64_t outer, n, inner;
};
// Neighbouring reduced dimensions are reduced together, the last ones first; each pass works on the
// result of the pass before. At least one pass.
std::vector<ReducePass> PassesOf(const Shape& shape, DimMask mask);

}  // namespace lemma::internal

#endif  // LEMMA_AUTOGRAD_OPS_REDUCE_DIMS_H_
