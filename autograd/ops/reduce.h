// Sums and what is made of them.
//
//   Tensor total = Sum(x);                // a scalar
//   Tensor columns = Sum(x, {0, -1});     // over the first and the last dimension
//   Tensor mean = Mean(x, {-1}, /*keepdim=*/true);
//
// `dims` names the dimensions that are reduced, negative ones from the end; none named means all.
// They vanish from the result, or with `keepdim` stay with size 1. Sums are the same for any number
// of threads, and their rounding error grows with the logarithm of the number of elements. An empty
// sum is 0.
#ifndef LEMMA_AUTOGRAD_OPS_REDUCE_H_
#define LEMMA_AUTOGRAD_OPS_REDUCE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/op.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"

namespace lemma {

// Of bools and integers: int64.
Tensor Sum(Tensor x);
Tensor Sum(Tensor x, absl::Span<const int64_t> dims, bool keepdim = false);
// The sum over the dimensions along which a tensor of `shape` would be broadcast to that of x: what
// undoes broadcasting in a gradient.
Tensor SumTo(Tensor x, const Shape& shape);

extern const OpDef kSum;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_REDUCE_H_
