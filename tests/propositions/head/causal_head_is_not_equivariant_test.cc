#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/index.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The causal head is equivariant under no permutation but the identity, because P "
                  "does not commute with the mask M: Attn_M'(P X) = P Attn_M(X) holds for M' = P M "
                  "P^T, and M' = M only for P = I.",
     .source = "Step 4, Theorem 6.1 (with the mask of Proposition 5.1)",
     .exact = "all 119 permutations of 5 positions fail by far more than rounding; with M' they "
              "agree up to rounding"});

constexpr int64_t kTime = 5;

// The head on x under a mask (T, T), true where a query sees a key.
using Masked = std::function<Tensor(Head& head, const Tensor& x, const Tensor& mask)>;

Tensor UnderMask(Head& head, const Tensor& x, const Tensor& mask) {
  return head.Forward(x, {.mask = mask});
}

// P M P^T, or the causal mask M itself.
Tensor MaskFor(const Tensor& permutation, bool conjugated) {
  const Tensor mask = CausalMask(kTime);
  if (!conjugated) return mask;
  return IndexSelect(IndexSelect(mask, 0, permutation), 1, permutation);
}

// |Attn_M'(P X) - P Attn_M(X)| for each P but the identity.
std::vector<double> Commutators(const Masked& attend, bool conjugated) {
  Example e(Case{.time = kTime});
  const Tensor y = attend(e.head, e.x, CausalMask(kTime));
  std::vector<double> distances;
  std::vector<int64_t> order(kTime);
  std::iota(order.begin(), order.end(), 0);
  while (std::next_permutation(order.begin(), order.end())) {
    const Tensor permutation = FromVector(order, {kTime});
    const Tensor permuted =
        attend(e.head, IndexSelect(e.x, 1, permutation), MaskFor(permutation, conjugated));
    distances.push_back(LargestDifference(permuted, IndexSelect(y, 1, permutation)));
  }
  return distances;
}

std::vector<Measurement> TheMaskBreaksIt(const Masked& attend) {
  const std::vector<double> same = Commutators(attend, false), moved = Commutators(attend, true);
  return {AtLeast("least |Attn_M(P X) - P Attn_M(X)|, all 119 P",
                  *std::min_element(same.begin(), same.end()), 0.1),
          AtMost("largest |Attn_M'(P X) - P Attn_M(X)|, M' = P M P^T",
                 *std::max_element(moved.begin(), moved.end()), 1e-6)};
}

TEST(CausalHead, IsNotEquivariant) { ExpectHolds(TheMaskBreaksIt(UnderMask)); }

TEST(CausalHead, GoesRedWithoutTheMask) {
  ExpectBroken(TheMaskBreaksIt(
      [](Head& head, const Tensor& x, const Tensor&) { return head.Forward(x, {}); }));
}

TEST(CausalHead, GoesRedWhereTheMaskStaysWhereItIs) {
  ExpectBroken(TheMaskBreaksIt([](Head& head, const Tensor& x, const Tensor&) { return head(x); }));
}

}  // namespace
}  // namespace lemma::propositions
