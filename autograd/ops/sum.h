// Sums, means and running sums.
//
//   Tensor total = Sum(x);                // a scalar
//   Tensor columns = Sum(x, {0, -1});     // over the first and the last dimension
//   Tensor mean = Mean(x, {-1}, /*keepdim=*/true);
//
// `dims` names the dimensions that are reduced, negative ones from the end; none named means all.
// They vanish from the result, or with `keepdim` stay with size 1. Results are the same for any
// number of threads, and the rounding error of a sum grows with the logarithm of the number of
// elements.
#ifndef LEMMA_AUTOGRAD_OPS_SUM_H_
#define LEMMA_AUTOGRAD_OPS_SUM_H_

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/op.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"

namespace lemma {

// The empty sum is 0. Of bools and integers: int64.
Tensor Sum(Tensor x);
Tensor Sum(Tensor x, absl::Span<const int64_t> dims, bool keepdim = false);
// The sum over the dimensions along which a tensor of `shape` would be broadcast to that of x: what
// undoes broadcasting in a gradient.
Tensor SumTo(Tensor x, const Shape& shape);

// Of float types. The mean of nothing is NaN.
Tensor Mean(Tensor x);
Tensor Mean(Tensor x, absl::Span<const int64_t> dims, bool keepdim = false);

// y[i] = x[0] + ... + x[i] along `dim`; with `reverse`, y[i] = x[i] + ... + x[last]. Floats are
// summed in double. Of bools and integers: int64.
Tensor CumSum(const Tensor& x, int64_t dim, bool reverse = false);

extern const OpDef kSum;
extern const OpDef kMean;
extern const OpDef kCumSum;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_SUM_H_
