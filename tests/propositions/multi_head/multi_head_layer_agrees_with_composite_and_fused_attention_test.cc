#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/ops/attention.h"
#include "autograd/ops/join.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "nn/attention.h"
#include "nn/linear.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/multi_head/multi_head.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The multi-head layer is its heads, each the causal attention of its own rows of "
                  "W_q, W_k and W_v, joined and projected; composite, fused and packed attention "
                  "agree with it.",
     .source = "LM3-L3, self-check 3",
     .exact = "up to rounding, within the course's 1e-5"});

// The notebook's one-head function for each head; (B, T, H D).
Tensor HeadByHead(nn::MultiHeadAttention& layer, const Tensor& x, int64_t heads) {
  const int64_t width = layer.q_proj.weight.size(0) / heads;
  const auto rows = [&](const nn::Linear& projection, int64_t h) {
    return Transpose(Slice(projection.weight, 0, h * width, (h + 1) * width), 0, 1);
  };
  std::vector<Tensor> outputs;
  for (int64_t h = 0; h < heads; ++h) {
    outputs.push_back(
        CausalAttention(x, rows(layer.q_proj, h), rows(layer.k_proj, h), rows(layer.v_proj, h))
            .out);
  }
  return layer.out_proj(Concat(outputs, 2));
}

// The layer of a GPT with the same parameters, for d_in = d_out.
Tensor Packed(nn::MultiHeadAttention& layer, const Tensor& x, int64_t heads) {
  Generator unused(0);
  nn::CausalSelfAttention packed({.width = x.size(2), .heads = heads}, unused);
  packed.qkv.weight = Concat({layer.q_proj.weight, layer.k_proj.weight, layer.v_proj.weight}, 0);
  packed.proj.weight = layer.out_proj.weight;
  packed.proj.bias = layer.out_proj.bias;
  return packed(x);
}

std::vector<Measurement> Agrees(const LayerFunction& layer) {
  double head_by_head = 0, composite = 0, fused = 0, packed = 0;
  const auto raise = [](double& largest, double distance) {
    largest = std::max(largest, distance);
  };
  for (LayerCase c : LayerCases()) {
    for (bool square : {false, true}) {
      if (square) c.in = c.out();
      LayerExample e(c);
      nn::MultiHeadAttention& l = e.causal;
      const Tensor y = layer(e, e.x);
      const Tensor q = SplitHeads(l.q_proj(e.x), c.heads), k = SplitHeads(l.k_proj(e.x), c.heads),
                   v = SplitHeads(l.v_proj(e.x), c.heads);
      const AttentionOptions causal{.causal = true};
      const auto joined = [&](const Tensor& out) { return l.out_proj(MergeHeads(out)); };
      raise(head_by_head, LargestDifference(y, HeadByHead(l, e.x, c.heads)));
      raise(composite, LargestDifference(y, joined(AttentionDefinition(q, k, v, causal))));
      raise(fused, LargestDifference(y, joined(ScaledDotProductAttention(q, k, v, causal))));
      if (square) raise(packed, LargestDifference(y, Packed(l, e.x, c.heads)));
    }
  }
  return {AtMost("largest distance from its heads one by one", head_by_head, 1e-5),
          AtMost("from the composite", composite, 1e-5),
          AtMost("from the fused kernel", fused, 1e-5),
          AtMost("from the packed layer of a GPT", packed, 1e-5)};
}

// The layer with its attention and the way its heads are joined changed.
template <typename Join>
Tensor Rebuilt(LayerExample& e, const Tensor& x, const AttentionOptions& options, int64_t heads,
               const Join& join) {
  nn::MultiHeadAttention& l = e.causal;
  return l.out_proj(
      join(ScaledDotProductAttention(SplitHeads(l.q_proj(x), heads), SplitHeads(l.k_proj(x), heads),
                                     SplitHeads(l.v_proj(x), heads), options)));
}

int64_t HeadsOf(const LayerExample& e) { return e.causal.q_proj.weight.size(0) / e.wq.size(1); }

TEST(MultiHeadLayer, AgreesWithCompositeAndFused) {
  ExpectHolds(Agrees([](LayerExample& e, const Tensor& x) { return e.causal(x); }));
}

TEST(MultiHeadLayer, GoesRedWhereHeadsAreJoinedWithoutTransposingBack) {
  ExpectBroken(Agrees([](LayerExample& e, const Tensor& x) {
    return Rebuilt(e, x, {.causal = true}, HeadsOf(e), [&](const Tensor& y) {
      return Reshape(y, {x.size(0), x.size(1), y.size(1) * y.size(3)});
    });
  }));
}

TEST(MultiHeadLayer, GoesRedWithTheScaleOfTheWholeWidth) {
  ExpectBroken(Agrees([](LayerExample& e, const Tensor& x) {
    const double scale = 1 / std::sqrt(static_cast<double>(e.causal.q_proj.weight.size(0)));
    return Rebuilt(e, x, {.causal = true, .scale = scale}, HeadsOf(e), MergeHeads);
  }));
}

TEST(MultiHeadLayer, GoesRedWithOneHeadOfTheWholeWidth) {
  ExpectBroken(Agrees([](LayerExample& e, const Tensor& x) {
    return Rebuilt(e, x, {.causal = true}, 1, MergeHeads);
  }));
}

}  // namespace
}  // namespace lemma::propositions
