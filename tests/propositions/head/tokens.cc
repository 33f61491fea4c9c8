#include "tests/propositions/head/tokens.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/index.h"
#include "autograd/random.h"
#include "tests/propositions/measure.h"

namespace lemma::propositions {
namespace {

constexpr int64_t kVocabulary = 65;

Tensor OtherThanIdentity(int64_t n, Generator& generator) {
  while (true) {
    const Tensor permutation = RandPerm(n, generator);
    const std::vector<int64_t> values = permutation.ToVector<int64_t>();
    if (!std::is_sorted(values.begin(), values.end())) return permutation;
  }
}

}  // namespace

TokenExample::TokenExample(const Case& c)
    : Example(c),
      token({.rows = kVocabulary, .width = c.width}, generator),
      position({.rows = c.time, .width = c.width}, generator),
      tokens(RandInt(0, kVocabulary, {c.batch, c.time}, generator)),
      permutation(OtherThanIdentity(c.time, generator)) {}

Tensor TokenExample::Permute(const Tensor& x) const { return IndexSelect(x, 1, permutation); }

double Commutator(const TokenFunction& f, TokenExample& e, const Tensor& x) {
  return LargestDifference(f(e, e.Permute(x)), e.Permute(f(e, x)));
}

// Each of the two outputs has an error of (2 T + 4) u max|v| from its sums over keys, as the hull's
// bound has it; the scores are the same products in both.
double CommutatorBound(TokenExample& e, const Tensor& x) {
  return 2 * (2 * x.size(1) + 4) * Roundoff(x.dtype()) * LargestMagnitude(e.head.value(x));
}

}  // namespace lemma::propositions
