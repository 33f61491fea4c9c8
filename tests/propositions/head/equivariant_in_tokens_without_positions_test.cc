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
         "From tokens to outputs the unmasked head is equivariant where the embedding adds "
         "no positions: it is then a map of each token by itself.",
     .source = "Step 4, Theorem 6.1",
     .exact = "up to rounding; the embeddings themselves permute bitwise"});

// `f` maps tokens (B, T) to outputs.
std::vector<Measurement> EquivariantInTokens(const TokenFunction& f) {
  double course = 0, relative = 0;
  for (const Case& c : Cases()) {
    TokenExample e(c);
    const double distance = Commutator(f, e, e.tokens);
    relative = LargerOf(relative, distance / CommutatorBound(e, e.token(e.tokens)));
    if (c.seed == 0) course = distance;
  }
  return {AtMost("largest |f(P tokens) - P f(tokens)|, the course's head", course, 2e-6),
          AtMost("the same over its bound, (4 T + 8) u max|v|, all heads", relative, 1)};
}

TEST(Tokens, PermuteWithoutPositions) {
  ExpectHolds(EquivariantInTokens([](TokenExample& e, const Tensor& tokens) {
    return UnmaskedOutput(e.head, e.token(tokens));
  }));
}

TEST(Tokens, GoesRedWithPositions) {
  ExpectBroken(EquivariantInTokens([](TokenExample& e, const Tensor& tokens) {
    return UnmaskedOutput(e.head, e.token(tokens) + e.position.weight);
  }));
}

TEST(Tokens, GoesRedWithTheMask) {
  ExpectBroken(EquivariantInTokens(
      [](TokenExample& e, const Tensor& tokens) { return Output(e.head, e.token(tokens)); }));
}

}  // namespace
}  // namespace lemma::propositions
