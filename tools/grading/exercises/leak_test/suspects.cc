#include "tools/grading/exercises/leak_test/suspects.h"

#include <cmath>
#include <cstdint>

#include "autograd/ops/cast.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

// The weights of x's attention with itself, in which key j is hidden from query i where
// j - i >= diagonal. (B, T, T)
Tensor Attention(const Tensor& x, int64_t diagonal) {
  const int64_t t = x.size(1);
  const Tensor s = MatMul(x, Transpose(x, 1, 2)) / std::sqrt(static_cast<double>(x.size(2)));
  return Softmax(MaskedFill(s, Triu(Ones({t, t}, DType::kBool), diagonal), -INFINITY), -1);
}

// (B, T, T) of zeros, but for `value` where `query` looks at the last position: in one sample, or
// in all where it is -1.
Tensor LooksAtTheLast(const Tensor& x, int64_t query, double value, int64_t sample = -1) {
  const int64_t batch = x.size(0), time = x.size(1);
  const Tensor one = Ones({sample < 0 ? batch : 1, 1, 1}) * value;
  Tensor row = PadSlice(one, {one.size(0), 1, time}, 2, time - 1);
  Tensor matrix = PadSlice(row, {one.size(0), time, time}, 1, query);
  return sample < 0 ? matrix : PadSlice(matrix, {batch, time, time}, 0, sample);
}

}  // namespace

const std::vector<Suspect>& Suspects() {
  static const auto* all = new std::vector<Suspect>{{"causal attention", false},
                                                    {"running mean", false},
                                                    {"position by position", false},
                                                    {"not masked", true},
                                                    {"next token visible", true},
                                                    {"first position sees the last", true},
                                                    {"only the last sample leaks", true},
                                                    {"leaks that cancel", true},
                                                    {"a faint leak", true},
                                                    {"only lowers", true}};
  return *all;
}

void AddSuspects(const Tensor& x, Values& inputs) {
  const int64_t batch = x.size(0), time = x.size(1);
  const Tensor none = Zeros({batch, time, time});
  const Tensor same = none + Tril(Triu(Ones({time, time})));
  const Tensor count = Reshape(Cast(Arange(1, time + 1), DType::kFloat32), {time, 1});
  const std::vector<Tensor> mix = {
      Attention(x, 1),
      none + Tril(Ones({time, time})) / count,
      same * 3.0,
      Attention(x, time),
      Attention(x, 2),
      same + LooksAtTheLast(x, 0, 1),
      same + LooksAtTheLast(x, 1, 1, batch - 1),
      same + LooksAtTheLast(x, 0, 1) - LooksAtTheLast(x, 1, 1),
      same + LooksAtTheLast(x, 1, 1e-4),
      same,
  };
  std::vector<Tensor> squares(mix.size(), none);
  squares.back() = LooksAtTheLast(x, 0, -1);
  inputs.Add("mix", Stack(mix, 0)).Add("squares", Stack(squares, 0));
}

std::vector<SuspectLayer> SuspectLayers(const Values& inputs) {
  const Tensor mix = inputs["mix"], squares = inputs["squares"];
  std::vector<SuspectLayer> layers;
  for (int64_t i = 0; i < mix.size(0); ++i) {
    layers.push_back(
        [of_x = Select(mix, 0, i), of_squares = Select(squares, 0, i)](const Tensor& x) {
          const Tensor square = Sum(x * x, {-1}, true) * OnesLike(x);
          return MatMul(of_x, x) + MatMul(of_squares, square);
        });
  }
  return layers;
}

}  // namespace lemma::tools::grading
