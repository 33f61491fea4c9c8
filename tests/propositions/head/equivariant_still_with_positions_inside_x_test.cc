#include <vector>

#include "autograd/ops/arithmetic.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/head/tokens.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "The unmasked head stays equivariant in X where X = E + p already holds positional "
         "vectors: a permutation of its rows carries them along.",
     .source = "Step 4, Theorem 6.1",
     .exact = "up to rounding; the theorem asks nothing of how X was made"});

// `f` maps rows X (B, T, C) to outputs.
std::vector<Measurement> EquivariantInX(const TokenFunction& f) {
  double course = 0, relative = 0;
  for (const Case& c : Cases()) {
    TokenExample e(c);
    const Tensor x = e.x + e.position.weight;
    const double distance = Commutator(f, e, x);
    relative = LargerOf(relative, distance / CommutatorBound(e, x));
    if (c.seed == 0) course = distance;
  }
  return {AtMost("largest |Attn(P X) - P Attn(X)|, X = E + p, the course's head", course, 2e-6),
          AtMost("the same over its bound, (4 T + 8) u max|v|, all heads", relative, 1)};
}

TEST(UnmaskedHead, IsEquivariantWithPositionsInsideX) {
  ExpectHolds(
      EquivariantInX([](TokenExample& e, const Tensor& x) { return UnmaskedOutput(e.head, x); }));
}

// Positional vectors that belong to the place and not to the row: a head that adds its own.
TEST(UnmaskedHead, GoesRedWhereTheLayerAddsPositions) {
  ExpectBroken(EquivariantInX([](TokenExample& e, const Tensor& x) {
    return UnmaskedOutput(e.head, x + e.position.weight);
  }));
}

}  // namespace
}  // namespace lemma::propositions
