#include <vector>

#include "gtest/gtest.h"
#include "tests/propositions/multi_head/attention_memory.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "The memory of fused attention grows with T, as that of q, k and v does, forward, "
         "kept for backward, and backward: the scores are never stored.",
     .source = "LM3-L3, section 6 and question 2",
     .exact =
         "as the allocator measures it over T = 64 .. 1024; beside it each thread keeps a buffer "
         "of the order of T D numbers"});

std::vector<Measurement> GrowsLinearly(const Attention& attend) {
  const AttentionMemory memory = MeasureMemory(attend);
  return {Between("exponent of T, forward", 0.95, Exponent(memory.forward), 1.05),
          Between("factor from T = 512 to 1024, forward", 1.95, Doubling(memory.forward), 2.05),
          Between("factor, kept for backward", 1.95, Doubling(memory.kept), 2.05),
          Between("factor, forward and backward", 1.95, Doubling(memory.backward), 2.05),
          Exactly("factor of q, k and v", Doubling(BytesOfQKV()), 2),
          AtMost("forward and backward at T = 1024, over the bytes of the scores alone",
                 memory.backward.back() / BytesOfScores().back(), 0.5)};
}

TEST(FusedAttentionMemory, GrowsLinearly) { ExpectHolds(GrowsLinearly(FusedAttention)); }

TEST(FusedAttentionMemory, GoesRedWithTheComposite) {
  ExpectBroken(GrowsLinearly(CompositeAttention));
}

}  // namespace
}  // namespace lemma::propositions
