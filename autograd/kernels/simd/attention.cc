#include "autograd/kernels/simd/attention.h"

#include "autograd/kernels/reference/attention.h"

namespace lemma::kernels::simd {

void AttentionForward(const AttentionArgs<float>& args, const HeadView<float>& out, float* lse) {
  reference::AttentionForward<float>(args, out, lse);
}

void AttentionBackward(const AttentionArgs<float>& args, const HeadView<const float>& out,
                       const HeadView<const float>& dout, const float* lse,
                       const AttentionGradients<float>& gradients) {
  reference::AttentionBackward<float>(args, out, dout, lse, gradients);
}

}  // namespace lemma::kernels::simd
