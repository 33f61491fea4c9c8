// Cross entropy as it is defined. See autograd/kernels/cross_entropy.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_CROSS_ENTROPY_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_CROSS_ENTROPY_H_

#include <cmath>
#include <cstdint>

#include "autograd/dtype.h"
#include "autograd/kernels/reference/softmax.h"

namespace lemma::kernels::reference {

template <typename T>
void CrossEntropyForward(int64_t rows, int64_t classes, const T* logits, const int64_t* targets,
                         int64_t ignore_index, double label_smoothing, Accumulator<T>* loss,
                         Accumulator<T>* lse) {
  using A = Accumulator<T>;
  const A smoothing = static_cast<A>(label_smoothing);
  for (int64_t r = 0; r < rows; ++r, logits += classes) {
    loss[r] = lse[r] = 0;
    if (targets[r] == ignore_index) continue;
    const A max = RowMax<T>(classes, logits);
    const A log_sum = std::log(SumExp<T>(classes, logits, max));
    lse[r] = max + log_sum;
    const A nll = log_sum - (static_cast<A>(logits[targets[r]]) - max);
    loss[r] = nll;
    if (smoothing == 0) continue;
    A sum = 0;
    for (int64_t c = 0; c < classes; ++c) sum += static_cast<A>(logits[c]) - max;
    loss[r] = (A{1} - smoothing) * nll + smoothing * (log_sum - sum / static_cast<A>(classes));
  }
}

template <typename T>
void CrossEntropyBackward(int64_t rows, int64_t classes, const T* logits, const int64_t* targets,
                          int64_t ignore_index, double label_smoothing, const Accumulator<T>* lse,
                          const Accumulator<T>* scale, int64_t scale_stride, T* dlogits) {
  using A = Accumulator<T>;
  const A off_target = static_cast<A>(label_smoothing) / static_cast<A>(classes);
  const A on_target = A{1} - static_cast<A>(label_smoothing) + off_target;
  for (int64_t r = 0; r < rows; ++r, logits += classes, dlogits += classes) {
    const bool ignored = targets[r] == ignore_index;
    const A row_scale = scale[r * scale_stride];
    for (int64_t c = 0; c < classes; ++c) {
      const A probability = std::exp(static_cast<A>(logits[c]) - lse[r]);
      const A value = row_scale * (probability - (c == targets[r] ? on_target : off_target));
      dlogits[c] = static_cast<T>(ignored ? A{0} : value);
    }
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_CROSS_ENTROPY_H_
