// Cross entropy of rows of logits with class targets, forward and backward.
//
//   CrossEntropyForward<float>(n, v, logits, targets, -100, 0.0, loss, lse);
//   const float scale = 1.0f / n;  // of a mean
//   CrossEntropyBackward<float>(n, v, logits, targets, -100, 0.0, lse, &scale, 0, dlogits);
//
// With label smoothing e, a row's loss is (1 - e) * (lse - logits[target]) + e * (lse - mean
// logits), where lse = log(sum exp(logits)). A row whose target is ignore_index has loss 0 and
// gradient 0. Other targets lie in [0, classes): the caller has checked it.
// The meaning is reference/cross_entropy.h; float runs in simd/cross_entropy.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_CROSS_ENTROPY_H_
#define LEMMA_AUTOGRAD_KERNELS_CROSS_ENTROPY_H_

#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/reference/cross_entropy.h"
#include "autograd/kernels/simd/cross_entropy.h"

namespace lemma::kernels {

// logits: (rows, classes), dense; targets: (rows); loss, lse: (rows), written.
template <typename T>
void CrossEntropyForward(int64_t rows, int64_t classes, const T* logits, const int64_t* targets,
                         int64_t ignore_index, double label_smoothing, Accumulator<T>* loss,
                         Accumulator<T>* lse) {
  if constexpr (std::is_same_v<T, float>) {
    simd::CrossEntropyForward(rows, classes, logits, targets, ignore_index, label_smoothing, loss,
                              lse);
  } else {
    reference::CrossEntropyForward<T>(rows, classes, logits, targets, ignore_index, label_smoothing,
                                      loss, lse);
  }
}

// dlogits = scale * (softmax(logits) - (1 - e) * onehot(target) - e / classes). Row r's scale is
// scale[r * scale_stride]: stride 0 for one scale of all rows, 1 for a gradient per row.
// dlogits: (rows, classes), written; it may be logits.
template <typename T>
void CrossEntropyBackward(int64_t rows, int64_t classes, const T* logits, const int64_t* targets,
                          int64_t ignore_index, double label_smoothing, const Accumulator<T>* lse,
                          const Accumulator<T>* scale, int64_t scale_stride, T* dlogits) {
  if constexpr (std::is_same_v<T, float>) {
    simd::CrossEntropyBackward(rows, classes, logits, targets, ignore_index, label_smoothing, lse,
                               scale, scale_stride, dlogits);
  } else {
    reference::CrossEntropyBackward<T>(rows, classes, logits, targets, ignore_index,
                                       label_smoothing, lse, scale, scale_stride, dlogits);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_CROSS_ENTROPY_H_
