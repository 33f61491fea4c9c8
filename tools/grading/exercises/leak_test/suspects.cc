#include "tools/grading/exercises/leak_test/suspects.h"

#include <cmath>

#include "autograd/ops/cast.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

// Attention of x with itself, in which key j is hidden from query i where j - i >= diagonal.
Tensor Attend(const Tensor& x, int64_t diagonal) {
  const int64_t t = x.size(1);
  const Tensor s = MatMul(x, Transpose(x, 1, 2)) / std::sqrt(static_cast<double>(x.size(2)));
  const Tensor hidden = Triu(Ones({t, t}, DType::kBool), diagonal);
  return MatMul(Softmax(MaskedFill(s, hidden, -INFINITY), -1), x);
}

// 0 but for `addend` (B, 1, C) at one position of one sample, or of all where sample is -1.
Tensor At(const Tensor& x, const Tensor& addend, int64_t position, int64_t sample) {
  Tensor at = addend;
  if (sample >= 0) {
    at = PadSlice(Slice(addend, 0, sample, sample + 1), addend.shape(), 0, sample);
  }
  return PadSlice(at, x.shape(), 1, position);
}

}  // namespace

std::vector<SuspectLayer> SuspectLayers() {
  const auto last = [](const Tensor& x) { return Slice(x, 1, x.size(1) - 1); };
  return {
      {"causal attention", false, [](const Tensor& x) { return Attend(x, 1); }},
      {"running mean", false,
       [](const Tensor& x) {
         const Tensor count = Reshape(Cast(Arange(1, x.size(1) + 1), x.dtype()), {-1, 1});
         return CumSum(x, 1) / count;
       }},
      {"position by position", false, [](const Tensor& x) { return Tanh(x * 3.0); }},
      {"not masked", true, [](const Tensor& x) { return Attend(x, x.size(1)); }},
      {"next token visible", true, [](const Tensor& x) { return Attend(x, 2); }},
      {"first position sees the last", true,
       [last](const Tensor& x) { return x + At(x, last(x), 0, -1); }},
      {"only the last sample leaks", true,
       [last](const Tensor& x) { return x + At(x, last(x), 1, x.size(0) - 1); }},
      {"leaks that cancel", true,
       [last](const Tensor& x) { return x + At(x, last(x), 0, -1) - At(x, last(x), 1, -1); }},
      {"a faint leak", true, [last](const Tensor& x) { return x + At(x, last(x) * 1e-4, 1, -1); }},
      {"only lowers", true,
       [last](const Tensor& x) {
         return x - At(x, Sum(last(x) * last(x), {-1}, true) * OnesLike(last(x)), 0, -1);
       }},
  };
}

}  // namespace lemma::tools::grading
