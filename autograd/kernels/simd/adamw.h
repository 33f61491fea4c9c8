// The float AdamW kernels. See autograd/kernels/adamw.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_ADAMW_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_ADAMW_H_

#include <span>

#include "autograd/kernels/adamw_args.h"

namespace lemma::kernels::simd {

void AdamWUpdate(std::span<const AdamWTensor<float>> tensors, const AdamWOptions& options);

double SumOfSquares(std::span<const ConstRun<float>> runs);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_ADAMW_H_
