// Cross entropy of logits with class targets, in nats.
#ifndef LEMMA_AUTOGRAD_OPS_CROSS_ENTROPY_H_
#define LEMMA_AUTOGRAD_OPS_CROSS_ENTROPY_H_

#include <cstdint>

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

enum class Reduction { kMean, kSum, kNone };

struct CrossEntropyOptions {
  Reduction reduction = Reduction::kMean;
  // Rows with this target count for nothing; a mean divides by the number of the others, and is NaN
  // where there are none.
  int64_t ignore_index = -100;
  // e in [0, 1]: the target distribution is (1 - e) onehot + e / V.
  double label_smoothing = 0;
};

// -log softmax(logits)[target]. The classes are along dimension 1 of `logits` (0 of a vector), as
// in PyTorch: (N, V) with targets (N), or (N, V, d1, ...) with targets (N, d1, ...). Targets are
// int64 in [0, V); or of the logits' shape and dtype: probabilities, whose mean divides by the
// batch. bfloat16 logits are read as float32.
Tensor CrossEntropy(Tensor logits, Tensor targets, const CrossEntropyOptions& options = {});

// Throws an Error where a number in the options is none that they may be.
void CheckOptions(const char* op, const CrossEntropyOptions& options);

// Throws an Error that names the first value outside of [0, classes) and its position.
void CheckTargets(const char* op, const Tensor& targets, int64_t classes, int64_t ignore_index);

extern const OpDef kCrossEntropy;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_CROSS_ENTROPY_H_
