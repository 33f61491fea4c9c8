// Variance, norms and log-sum-exp, of float types.
//
//   Tensor spread = Var(x, {-1}, /*correction=*/0);
//   Tensor length = Norm(x);                          // of x as one vector
//   Tensor z = LogSumExp(logits, {-1});
//
// `dims` names the dimensions that are reduced, negative ones from the end; none named means all.
// They vanish from the result, or with `keepdim` stay with size 1.
#ifndef LEMMA_AUTOGRAD_OPS_STATISTICS_H_
#define LEMMA_AUTOGRAD_OPS_STATISTICS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// sum (x - mean)^2 / max(0, n - correction). A correction of 1 makes it the unbiased estimate; 0
// is what LayerNorm uses.
Tensor Var(const Tensor& x, absl::Span<const int64_t> dims = {}, double correction = 1,
           bool keepdim = false);

// (sum |x|^p)^(1/p). p may also be 0, for how many elements are not 0, and infinity or -infinity,
// for the greatest or least |x|, which ties share the gradient of. The gradient at the vector 0 is
// 0.
Tensor Norm(const Tensor& x, double p = 2, absl::Span<const int64_t> dims = {},
            bool keepdim = false);

// log(sum exp x) without overflow; of nothing, or of -inf alone, -inf.
Tensor LogSumExp(const Tensor& x, absl::Span<const int64_t> dims, bool keepdim = false);

extern const OpDef kVar;
extern const OpDef kNorm;
extern const OpDef kLogSumExp;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_STATISTICS_H_
