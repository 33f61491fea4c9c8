#include "tests/propositions/head/head.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/join.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/triangle.h"
#include "autograd/ops/views.h"

namespace lemma::propositions {
namespace {

constexpr uint64_t kSeedOfCases = 4;

std::vector<Case> DrawCases() {
  std::cout << "random sizes and seeds come from seed " << kSeedOfCases << '\n';
  std::vector<Case> cases = {Case{}};
  Generator generator(kSeedOfCases);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const auto draw = [&](int64_t low, int64_t high) {
      return static_cast<int64_t>(RandInt(low, high + 1, {1}, generator).Item());
    };
    cases.push_back({.seed = seed,
                     .batch = draw(1, 3),
                     .time = draw(2, 40),
                     .width = draw(1, 48),
                     .head_width = draw(1, 32)});
  }
  return cases;
}

// x (..., n) -> (..., width), with zeros after its elements.
Tensor PadTo(int64_t width, const Tensor& x) {
  Shape shape = x.shape();
  shape[shape.rank() - 1] = width;
  return PadSlice(x, shape, -1, 0);
}

// The kernel wants q, k and v of one width: zeros beyond their own change neither scores nor A.
Tensor WeightsOfKernel(Head& head, const Tensor& x, const AttentionOptions& options) {
  const Tensor q = head.query(x), k = head.key(x);
  const int64_t time = x.size(1), width = std::max(time, q.size(2));
  const Tensor v = Expand(PadTo(width, Eye(time, x.dtype())), {x.size(0), time, width});
  AttentionOptions scaled = options;
  scaled.scale = 1 / std::sqrt(static_cast<double>(q.size(2)));
  const Tensor out = ScaledDotProductAttention(PadTo(width, q), PadTo(width, k), v, scaled);
  return Slice(out, 2, 0, time);
}

Tensor BothWeights(Head& head, const Tensor& x, const AttentionOptions& options) {
  Tensor weights;
  head.Define(x, options, &weights);
  return Concat({weights, WeightsOfKernel(head, x, options)}, 0);
}

Tensor BothOutputs(Head& head, const Tensor& x, const AttentionOptions& options) {
  return Concat({head.Define(x, options), head.Forward(x, options)}, 0);
}

}  // namespace

std::vector<Case> Cases() {
  static const std::vector<Case>* const cases = new std::vector<Case>(DrawCases());
  return *cases;
}

Head::Head(int64_t width, int64_t head_width, Generator& generator)
    : key({.in = width, .out = head_width, .bias = false}, generator),
      query({.in = width, .out = head_width, .bias = false}, generator),
      value({.in = width, .out = head_width, .bias = false}, generator) {
  Register("key", key);
  Register("query", query);
  Register("value", value);
}

Tensor Head::Forward(const Tensor& x, const AttentionOptions& options) {
  return ScaledDotProductAttention(query(x), key(x), value(x), options);
}

Tensor Head::Define(const Tensor& x, const AttentionOptions& options, Tensor* weights) {
  return AttentionDefinition(query(x), key(x), value(x), options, weights);
}

Tensor Head::Scores(const Tensor& x) {
  const Tensor q = query(x);
  return MatMul(q, Transpose(key(x), 1, 2)) * (1 / std::sqrt(static_cast<double>(q.size(2))));
}

Example::Example(const Case& c, DType dtype)
    : generator(c.seed),
      head(c.width, c.head_width, generator),
      x(Cast(RandN({c.batch, c.time, c.width}, generator), dtype)) {
  head.To(dtype);
}

Tensor Weights(Head& head, const Tensor& x) { return BothWeights(head, x, {.causal = true}); }

Tensor UnmaskedWeights(Head& head, const Tensor& x) { return BothWeights(head, x, {}); }

Tensor Output(Head& head, const Tensor& x) { return BothOutputs(head, x, {.causal = true}); }

Tensor UnmaskedOutput(Head& head, const Tensor& x) { return BothOutputs(head, x, {}); }

Tensor CausalMask(int64_t time) { return Tril(Ones({time, time}, DType::kBool)); }

}  // namespace lemma::propositions
