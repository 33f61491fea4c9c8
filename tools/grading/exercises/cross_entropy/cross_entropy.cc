#include "cross_entropy.h"

namespace homework {

Tensor MeanCrossEntropy(const Tensor& logits, const Tensor& targets) {
  (void)logits, (void)targets;
  // TODO: LogSumExp(logits, {-1}) is stable; Gather(x, 1, Unsqueeze(targets, 1)) picks (N, 1).
  throw std::logic_error("TODO: the cross entropy is not written yet");
}

}  // namespace homework
