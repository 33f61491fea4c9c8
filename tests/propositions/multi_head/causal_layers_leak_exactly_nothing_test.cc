#include <algorithm>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "gtest/gtest.h"
#include "tests/propositions/multi_head/multi_head.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "A causal layer leaks nothing: another last token changes no earlier output.",
     .source = "LM3-L3, self-checks 2 and 3",
     .exact =
         "the change is exactly 0, where the course allows 1e-6; for the notebook's function and "
         "for the multi-head layer"});

double LargestLeak(const LayerFunction& layer) {
  double largest = 0;
  for (const LayerCase& c : LayerCases()) {
    LayerExample e(c);
    largest = std::max(largest, Leak(layer, e));
  }
  return largest;
}

Tensor Function(LayerExample& e, const Tensor& x) {
  return CausalAttention(x, e.wq, e.wk, e.wv).out;
}

TEST(CausalLayers, LeakExactlyNothing) {
  ExpectHolds(
      {Exactly("largest leak of the function", LargestLeak(Function), 0),
       Exactly("largest leak of the multi-head layer",
               LargestLeak([](LayerExample& e, const Tensor& x) { return e.causal(x); }), 0)});
}

TEST(CausalLayers, GoesRedWithoutTheMask) {
  ExpectBroken(Exactly("largest leak of the multi-head layer",
                       LargestLeak([](LayerExample& e, const Tensor& x) { return e.unmasked(x); }),
                       0));
}

// A leak that the course's 1e-6 lets pass.
TEST(CausalLayers, GoesRedWithATraceOfTheFuture) {
  const double leak = LargestLeak([](LayerExample& e, const Tensor& x) {
    return Function(e, x) + Mean(x, {1, 2}, /*keepdim=*/true) * 1e-7;
  });
  EXPECT_LT(leak, 1e-6);
  ExpectBroken(Exactly("largest leak of the function", leak, 0));
}

}  // namespace
}  // namespace lemma::propositions
