#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tests/propositions/multi_head/multi_head.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The leakage test finds a layer without the mask: another last token changes its "
                  "earlier outputs by more than 1e-3.",
     .source = "LM3-L3, self-check 2",
     .exact = "an inequality, at random parameters and inputs of each size drawn"});

double LeastLeak(const LayerFunction& layer) {
  double least = INFINITY;
  for (const LayerCase& c : LayerCases()) {
    LayerExample e(c);
    least = std::min(least, Leak(layer, e));
  }
  return least;
}

std::vector<Measurement> Leaks(const LayerFunction& layer) {
  LayerExample course(LayerCase{});
  return {AtLeast("leak at the notebook's sizes", Leak(layer, course), 1e-3),
          AtLeast("least leak over all sizes", LeastLeak(layer), 1e-3)};
}

TEST(UnmaskedFunction, Leaks) {
  ExpectHolds(Leaks(
      [](LayerExample& e, const Tensor& x) { return UnmaskedAttention(x, e.wq, e.wk, e.wv).out; }));
}

TEST(UnmaskedLayer, Leaks) {
  ExpectHolds(Leaks([](LayerExample& e, const Tensor& x) { return e.unmasked(x); }));
}

TEST(UnmaskedFunction, GoesRedWithTheMask) {
  ExpectBroken(Leaks(
      [](LayerExample& e, const Tensor& x) { return CausalAttention(x, e.wq, e.wk, e.wv).out; }));
}

TEST(UnmaskedLayer, GoesRedWithTheMask) {
  ExpectBroken(Leaks([](LayerExample& e, const Tensor& x) { return e.causal(x); }));
}

}  // namespace
}  // namespace lemma::propositions
