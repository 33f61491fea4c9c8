#include "causal_attention.h"

namespace homework {

// What you may need (autograd/ops/*.h say all of it):
//   x.size(1)                        T
//   MatMul(a, b)                     the product of the last two dimensions
//   Transpose(k, -2, -1)             the last two dimensions swapped
//   Softmax(scores, -1)              along the last dimension
//   MaskedFill(scores, hidden, -INFINITY)
//   Triu(Ones({t, t}, DType::kBool), 1)   true above the diagonal
Attention CausalAttention(const Tensor& x, const Tensor& Wq, const Tensor& Wk, const Tensor& Wv) {
  (void)x, (void)Wq, (void)Wk, (void)Wv;
  // TODO 1: q, k and v.
  // TODO 2: the scores, divided by the square root of D.
  // TODO 3: hide the future: scores of later keys become -inf before the softmax.
  // TODO 4: the weights, and the output.
  throw std::logic_error("TODO: causal attention is not written yet");
}

}  // namespace homework
