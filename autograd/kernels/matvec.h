// One row times a matrix stored (out, in): what MatMul does with a single row, for callers that cut
// the outputs among threads by themselves.
#ifndef LEMMA_AUTOGRAD_KERNELS_MATVEC_H_
#define LEMMA_AUTOGRAD_KERNELS_MATVEC_H_

#include "autograd/kernels/simd/matvec.h"

namespace lemma::kernels {

using simd::MatVec;

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_MATVEC_H_
