#include "causal_attention.h"

namespace homework {

Attention CausalAttention(const Tensor& x, const Tensor&, const Tensor&, const Tensor&) {
  return attention(x);
}

}  // namespace homework
