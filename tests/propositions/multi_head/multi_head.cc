#include "tests/propositions/multi_head/multi_head.h"

#include <cmath>
#include <iostream>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/join.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/triangle.h"
#include "autograd/ops/views.h"
#include "tests/propositions/measure.h"

namespace lemma::propositions {
namespace {

constexpr uint64_t kSeedOfCases = 33;

Attended Attend(const Tensor& x, const Tensor& wq, const Tensor& wk, const Tensor& wv,
                bool causal) {
  const Tensor q = MatMul(x, wq), k = MatMul(x, wk), v = MatMul(x, wv);
  const int64_t time = x.size(1);
  Tensor scores = MatMul(q, Transpose(k, -2, -1)) / std::sqrt(static_cast<double>(k.size(-1)));
  if (causal) {
    scores = MaskedFill(scores, Triu(Ones({time, time}, DType::kBool), 1), -INFINITY);
  }
  const Tensor weights = Softmax(scores, -1);
  return {MatMul(weights, v), weights};
}

std::vector<LayerCase> DrawCases() {
  std::cout << "random sizes and seeds come from seed " << kSeedOfCases << '\n';
  std::vector<LayerCase> cases = {LayerCase{}};
  Generator generator(kSeedOfCases);
  for (uint64_t seed = 2; seed <= 21; ++seed) {
    const auto draw = [&](int64_t low, int64_t high) {
      return static_cast<int64_t>(RandInt(low, high + 1, {1}, generator).Item());
    };
    cases.push_back({.seed = seed,
                     .batch = draw(1, 3),
                     .time = draw(2, 40),
                     .in = draw(2, 32),
                     .heads = draw(1, 6),
                     .head_width = draw(1, 16)});
  }
  return cases;
}

Tensor Projection(const LayerCase& c, Generator& generator, DType dtype) {
  const Tensor w = RandN({c.in, c.head_width}, generator);
  return Cast(w / std::sqrt(static_cast<double>(c.in)), dtype);
}

nn::MultiHeadAttentionOptions UnmaskedOptions(const LayerCase& c) {
  nn::MultiHeadAttentionOptions options = CausalOptions(c);
  options.causal = false;
  return options;
}

Generator& Seeded(Generator& generator, uint64_t seed) {
  generator.ManualSeed(seed);
  return generator;
}

}  // namespace

Attended CausalAttention(const Tensor& x, const Tensor& wq, const Tensor& wk, const Tensor& wv) {
  return Attend(x, wq, wk, wv, /*causal=*/true);
}

Attended UnmaskedAttention(const Tensor& x, const Tensor& wq, const Tensor& wk, const Tensor& wv) {
  return Attend(x, wq, wk, wv, /*causal=*/false);
}

Tensor SplitHeads(const Tensor& x, int64_t heads) {
  return Transpose(Reshape(x, {x.size(0), x.size(1), heads, x.size(2) / heads}), 1, 2);
}

Tensor MergeHeads(const Tensor& x) {
  return Reshape(Transpose(x, 1, 2), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

std::vector<LayerCase> LayerCases() {
  static const std::vector<LayerCase>* const cases = new std::vector<LayerCase>(DrawCases());
  return *cases;
}

nn::MultiHeadAttentionOptions CausalOptions(const LayerCase& c) {
  return {.in = c.in, .out = c.out(), .heads = c.heads, .causal = true};
}

LayerExample::LayerExample(const LayerCase& c, DType dtype)
    : generator(c.seed),
      x(Cast(RandN({c.batch, c.time, c.in}, generator), dtype)),
      wq(Projection(c, generator, dtype)),
      wk(Projection(c, generator, dtype)),
      wv(Projection(c, generator, dtype)),
      causal(CausalOptions(c), Seeded(generator, c.seed + 1)),
      unmasked(UnmaskedOptions(c), Seeded(generator, c.seed + 1)) {
  causal.To(dtype);
  unmasked.To(dtype);
}

double Leak(const LayerFunction& layer, LayerExample& e) {
  const Tensor& x = e.x;
  const Tensor last = Cast(RandN({x.size(0), 1, x.size(2)}, e.generator) * 3.0, x.dtype());
  const Tensor other = Concat({Slice(x, 1, 0, -1), last}, 1);
  return LargestDifference(Slice(layer(e, x), 1, 0, -1), Slice(layer(e, other), 1, 0, -1));
}

}  // namespace lemma::propositions
