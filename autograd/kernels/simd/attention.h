// The float attention kernels. See autograd/kernels/attention.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_H_

#include "autograd/kernels/attention_args.h"

namespace lemma::kernels::simd {

void AttentionForward(const AttentionArgs<float>& args, const HeadView<float>& out, float* lse);

void AttentionBackward(const AttentionArgs<float>& args, const HeadView<const float>& out,
                       const HeadView<const float>& dout, const float* lse,
                       const AttentionGradients<float>& gradients);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_ATTENTION_H_
