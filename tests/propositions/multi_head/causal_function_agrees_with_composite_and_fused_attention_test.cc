#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/triangle.h"
#include "gtest/gtest.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/multi_head/multi_head.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "The causal attention of the notebook, written out step by step, is the library's "
         "attention, composite and fused.",
     .source = "LM3-L3, self-check 1",
     .exact = "up to rounding: within the course's 1e-5 in float32, and 1e-13 in float64"});

// The output (B, T, D) of an example's head.
using HeadFunction = std::function<Tensor(const LayerExample& e)>;

struct Distances {
  double composite = 0, fused = 0;
};

Distances Compare(const HeadFunction& head, DType dtype) {
  Distances largest;
  for (const LayerCase& c : LayerCases()) {
    const LayerExample e(c, dtype);
    const Tensor q = MatMul(e.x, e.wq), k = MatMul(e.x, e.wk), v = MatMul(e.x, e.wv);
    const AttentionOptions options{.causal = true};
    const Tensor y = head(e);
    largest.composite =
        std::max(largest.composite, LargestDifference(y, AttentionDefinition(q, k, v, options)));
    largest.fused =
        std::max(largest.fused, LargestDifference(y, ScaledDotProductAttention(q, k, v, options)));
  }
  return largest;
}

std::vector<Measurement> Agrees(const HeadFunction& head) {
  const Distances single = Compare(head, DType::kFloat32);
  const Distances twice = Compare(head, DType::kFloat64);
  return {AtMost("largest distance from the composite, float32", single.composite, 1e-5),
          AtMost("largest distance from the fused kernel, float32", single.fused, 1e-5),
          AtMost("from the composite, float64", twice.composite, 1e-13),
          AtMost("from the fused op, float64", twice.fused, 1e-13)};
}

TEST(CausalFunction, AgreesWithCompositeAndFused) {
  ExpectHolds(
      Agrees([](const LayerExample& e) { return CausalAttention(e.x, e.wq, e.wk, e.wv).out; }));
}

TEST(CausalFunction, GoesRedWithoutTheMask) {
  ExpectBroken(
      Agrees([](const LayerExample& e) { return UnmaskedAttention(e.x, e.wq, e.wk, e.wv).out; }));
}

TEST(CausalFunction, GoesRedWithTheMaskAfterTheSoftmax) {
  ExpectBroken(Agrees([](const LayerExample& e) {
    const Tensor weights = UnmaskedAttention(e.x, e.wq, e.wk, e.wv).weights;
    return MatMul(Tril(weights), MatMul(e.x, e.wv));
  }));
}

TEST(CausalFunction, GoesRedWithTheScaleLeftOut) {
  ExpectBroken(Agrees([](const LayerExample& e) {
    const double root = std::sqrt(static_cast<double>(e.wq.size(1)));
    return CausalAttention(e.x, e.wq * root, e.wk, e.wv).out;
  }));
}

}  // namespace
}  // namespace lemma::propositions
