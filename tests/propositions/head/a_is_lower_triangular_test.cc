#include <cstdint>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/triangle.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The causal mask makes A lower triangular.",
     .source = "Step 4, Proposition 5.1",
     .exact =
         "exactly: a weight above the diagonal is exp(-inf), which is 0, and not merely small"});

std::vector<Measurement> LowerTriangular(const HeadFunction& weights) {
  int64_t above = 0, below = 0, allowed = 0;
  for (const Case& c : Cases()) {
    Example e(c);
    const Tensor a = weights(e.head, e.x);
    above += CountNonZero(Triu(a, 1));
    below += CountNonZero(Tril(a));
    allowed += a.size(0) * c.time * (c.time + 1) / 2;
  }
  return {Exactly("weights above the diagonal that are not 0, all heads", above, 0),
          Exactly("weights on and below it that are 0", allowed - below, 0)};
}

TEST(A, IsLowerTriangular) { ExpectHolds(LowerTriangular(Weights)); }

TEST(A, GoesRedWithoutTheMask) { ExpectBroken(LowerTriangular(UnmaskedWeights)); }

TEST(A, GoesRedWithAMaskShiftedByOne) {
  ExpectBroken(LowerTriangular([](Head& head, const Tensor& x) {
    Tensor a;
    head.Define(x, {.mask = Tril(Ones({x.size(1), x.size(1)}, DType::kBool), 1)}, &a);
    return a;
  }));
}

// A finite number in the place of -inf leaves weights that a tolerance of 1e-6 would pass.
TEST(A, GoesRedWithMinusTwentyInPlaceOfMinusInfinity) {
  ExpectBroken(LowerTriangular([](Head& head, const Tensor& x) {
    return Softmax(MaskedFill(head.Scores(x), LogicalNot(CausalMask(x.size(1))), -20), -1);
  }));
}

}  // namespace
}  // namespace lemma::propositions
