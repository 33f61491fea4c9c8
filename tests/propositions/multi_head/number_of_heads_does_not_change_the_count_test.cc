#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "autograd/random.h"
#include "gtest/gtest.h"
#include "nn/attention.h"
#include "tests/propositions/multi_head/multi_head.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "The number of heads splits the width and does not change the number of parameters.",
     .source = "LM3-L3, self-check 3",
     .exact = "exactly, for every divisor of d_out"});

using Options =
    std::function<nn::MultiHeadAttentionOptions(int64_t in, int64_t out, int64_t heads)>;

nn::MultiHeadAttentionOptions Split(int64_t in, int64_t out, int64_t heads) {
  return {.in = in, .out = out, .heads = heads, .causal = true};
}

int64_t Count(const nn::MultiHeadAttentionOptions& options) {
  Generator generator(0);
  return nn::MultiHeadAttention(options, generator).NumParameters();
}

// The largest less the smallest count over all numbers of heads that divide `out`.
int64_t Spread(const Options& options, int64_t in, int64_t out, int64_t* layers) {
  int64_t low = 0, high = 0;
  for (int64_t heads = 1; heads <= out; ++heads) {
    if (out % heads != 0) continue;
    const int64_t count = Count(options(in, out, heads));
    low = heads == 1 ? count : std::min(low, count);
    high = heads == 1 ? count : std::max(high, count);
    ++*layers;
  }
  return high - low;
}

std::vector<Measurement> SameForAllHeads(const Options& options) {
  int64_t largest = 0, layers = 0;
  for (const LayerCase& c : LayerCases()) {
    if (c.out() > 40) continue;
    largest = std::max(largest, Spread(options, c.in, c.out(), &layers));
  }
  return {
      Exactly("parameters with 4 heads less those with 1, d_in = d_out = 8",
              Count(options(8, 8, 4)) - Count(options(8, 8, 1)), 0),
      Exactly("largest difference of counts, all divisors of random widths up to 40", largest, 0),
      AtLeast("layers counted", layers, 50)};
}

TEST(NumberOfHeads, DoesNotChangeTheCount) { ExpectHolds(SameForAllHeads(Split)); }

TEST(NumberOfHeads, GoesRedWithHeadsOfTheWholeWidth) {
  ExpectBroken(SameForAllHeads(
      [](int64_t in, int64_t out, int64_t heads) { return Split(in, out * heads, heads); }));
}

}  // namespace
}  // namespace lemma::propositions
