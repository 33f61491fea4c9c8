#include <vector>

#include "autograd/ops/attention.h"
#include "autograd/ops/views.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/head/tokens.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Without a mask the head is equivariant in its input: Attn(P X) = P Attn(X) for "
                  "every permutation P of the positions.",
     .source = "Step 4, Theorem 6.1",
     .exact = "up to rounding: the sums over keys run in another order"});

std::vector<Measurement> EquivariantInX(const TokenFunction& f) {
  double course = 0, relative = 0;
  for (const Case& c : Cases()) {
    TokenExample e(c);
    const double distance = Commutator(f, e, e.x);
    relative = LargerOf(relative, distance / CommutatorBound(e, e.x));
    if (c.seed == 0) course = distance;
  }
  return {AtMost("largest |Attn(P X) - P Attn(X)|, the course's head", course, 1e-6),
          AtMost("the same over its bound, (4 T + 8) u max|v|, all heads", relative, 1)};
}

TEST(UnmaskedHead, IsEquivariantInX) {
  ExpectHolds(
      EquivariantInX([](TokenExample& e, const Tensor& x) { return UnmaskedOutput(e.head, x); }));
}

TEST(UnmaskedHead, GoesRedWithTheMask) {
  ExpectBroken(EquivariantInX([](TokenExample& e, const Tensor& x) { return Output(e.head, x); }));
}

TEST(UnmaskedHead, GoesRedWhereItsFirstKeyIsHidden) {
  ExpectBroken(EquivariantInX([](TokenExample& e, const Tensor& x) {
    const Tensor seen = Slice(x, 1, 1);
    return ScaledDotProductAttention(e.head.query(x), e.head.key(seen), e.head.value(seen));
  }));
}

}  // namespace
}  // namespace lemma::propositions
