#include "autograd/kernels/simd/cross_entropy.h"

#include "autograd/kernels/reference/cross_entropy.h"

namespace lemma::kernels::simd {

void CrossEntropyForward(int64_t rows, int64_t classes, const float* logits,
                         const int64_t* targets, int64_t ignore_index, double label_smoothing,
                         float* loss, float* lse) {
  reference::CrossEntropyForward<float>(rows, classes, logits, targets, ignore_index, label_smoothing, loss, lse);
}

void CrossEntropyBackward(int64_t rows, int64_t classes, const float* logits,
                          const int64_t* targets, int64_t ignore_index, double label_smoothing,
                          const float* lse, const float* scale, int64_t scale_stride,
                          float* dlogits) {
  reference::CrossEntropyBackward<float>(rows, classes, logits, targets, ignore_index, label_smoothing, lse, scale, scale_stride, dlogits);
}

}  // namespace lemma::kernels::simd
