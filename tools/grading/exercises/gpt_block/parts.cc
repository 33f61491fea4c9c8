#include "tools/grading/exercises/gpt_block/parts.h"

#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

Tensor CausalMean(const Tensor& x) {
  const int64_t t = x.size(1);
  const Tensor hidden = Triu(Ones({t, t}, DType::kBool), 1);
  return MatMul(Softmax(MaskedFill(Zeros({t, t}, x.dtype()), hidden, -INFINITY), -1), x);
}

}  // namespace

BlockPart MakeBlockPart(const Values& in, const std::string& name) {
  const Tensor weight = in[name];
  if (name == "attn") return [weight](const Tensor& x) { return MatMul(CausalMean(x), weight); };
  if (name == "mlp") return [weight](const Tensor& x) { return Tanh(MatMul(x, weight)); };
  return [weight](const Tensor& x) {
    const Tensor centred = x - Mean(x, {-1}, true);
    return centred / Sqrt(Mean(centred * centred, {-1}, true) + 1e-5) * weight;
  };
}

}  // namespace lemma::tools::grading
