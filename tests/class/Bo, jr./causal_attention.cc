#include "causal_attention.h"

namespace homework {

Attention CausalAttention(const Tensor& x, const Tensor& Wq, const Tensor& Wk, const Tensor& Wv) {
  const Tensor q = MatMul(x, Wq), k = MatMul(x, Wk), v = MatMul(x, Wv);
  const Tensor scores = MatMul(q, Transpose(k, -2, -1)) / std::sqrt(x.size(-1));
  const Tensor hidden = Triu(Ones({x.size(1), x.size(1)}, DType::kBool), 1);
  const Tensor weights = Softmax(MaskedFill(scores, hidden, -INFINITY), -1);
  return {MatMul(weights, v), weights};
}

}  // namespace homework
