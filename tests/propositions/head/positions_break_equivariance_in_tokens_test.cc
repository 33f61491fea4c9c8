#include <cmath>
#include <vector>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/views.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/head/tokens.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "From tokens to outputs the unmasked head is not equivariant once positions are "
                  "added: p_t stays where it is when the tokens are permuted.",
     .source = "Step 4, Corollary 6.2",
     .exact =
         "for random parameters, every one of the permutations drawn fails by far more than "
         "rounding; it needs p_t that differ, for one vector at all positions breaks nothing"});

// `f` maps tokens (B, T) to outputs.
std::vector<Measurement> PositionsBreakIt(const TokenFunction& f) {
  double course = 0, least = INFINITY;
  for (const Case& c : Cases()) {
    TokenExample e(c);
    const double distance = Commutator(f, e, e.tokens);
    least = SmallerOf(least, distance);
    if (c.seed == 0) course = distance;
  }
  return {AtLeast("largest |f(P tokens) - P f(tokens)|, the course's head", course, 0.1),
          AtLeast("least of it over all heads", least, 1e-2)};
}

TEST(Positions, BreakEquivarianceInTokens) {
  ExpectHolds(PositionsBreakIt([](TokenExample& e, const Tensor& tokens) {
    return UnmaskedOutput(e.head, e.token(tokens) + e.position.weight);
  }));
}

TEST(Positions, GoesRedWithoutThem) {
  ExpectBroken(PositionsBreakIt([](TokenExample& e, const Tensor& tokens) {
    return UnmaskedOutput(e.head, e.token(tokens));
  }));
}

TEST(Positions, GoesRedWhereAllAreOneVector) {
  ExpectBroken(PositionsBreakIt([](TokenExample& e, const Tensor& tokens) {
    return UnmaskedOutput(e.head, e.token(tokens) + Slice(e.position.weight, 0, 0, 1));
  }));
}

}  // namespace
}  // namespace lemma::propositions
