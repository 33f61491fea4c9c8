// Triangles of matrices.
//
//   Tensor causal = Tril(Ones({t, t}, DType::kBool));  // true where a query may see a key
#ifndef LEMMA_AUTOGRAD_OPS_TRIANGLE_H_
#define LEMMA_AUTOGRAD_OPS_TRIANGLE_H_

#include <cstdint>

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// The lower triangle of each matrix that the last two dimensions of x hold: elements [i, j] with
// j - i <= diagonal stay, the others become 0.
Tensor Tril(Tensor x, int64_t diagonal = 0);
// The upper triangle: elements [i, j] with j - i >= diagonal stay.
Tensor Triu(Tensor x, int64_t diagonal = 0);

extern const OpDef kTril;
extern const OpDef kTriu;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_TRIANGLE_H_
