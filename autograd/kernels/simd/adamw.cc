#include "autograd/kernels/simd/adamw.h"

#include "autograd/kernels/reference/adamw.h"

namespace lemma::kernels::simd {

void AdamWUpdate(std::span<const AdamWTensor<float>> tensors, const AdamWOptions& options) {
  reference::AdamWUpdate<float>(tensors, options);
}

double SumOfSquares(std::span<const ConstRun<float>> runs) {
  return reference::SumOfSquares<float>(runs);
}

}  // namespace lemma::kernels::simd
