#include <vector>

#include "gtest/gtest.h"
#include "tests/propositions/multi_head/attention_memory.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The memory of the scores, and with it that of attention in plain ops, forward, "
                  "kept for backward, and backward, grows with T^2.",
     .source = "LM3-L3, section 6",
     .exact =
         "the scores to the byte, 4 B H T^2; the whole in its exponent and factor over T = 64 .. "
         "1024, as the allocator measures them"});

constexpr double kMiB = 1 << 20;

std::vector<Measurement> GrowsQuadratically(const Attention& attend) {
  const AttentionMemory memory = MeasureMemory(attend);
  return {Between("exponent of T, forward", 1.8, Exponent(memory.forward), 2.1),
          Between("factor from T = 512 to 1024, forward", 3.7, Doubling(memory.forward), 4.1),
          Between("factor, kept for backward", 3.7, Doubling(memory.kept), 4.1),
          Between("factor, forward and backward", 3.7, Doubling(memory.backward), 4.1)};
}

TEST(ScoreMemory, IsWhatTheNotebookComputes) {
  const std::vector<double> scores = BytesOfScores();
  ExpectHolds({Exactly("MiB of the scores, 12 heads, T = 64", scores.front() / kMiB, 0.1875),
               Exactly("MiB of the scores, 12 heads, T = 1024", scores.back() / kMiB, 48)});
}

TEST(ScoreMemory, GrowsWithTheSquareOfT) { ExpectHolds(GrowsQuadratically(CompositeAttention)); }

TEST(ScoreMemory, GoesRedWithFusedAttention) { ExpectBroken(GrowsQuadratically(FusedAttention)); }

}  // namespace
}  // namespace lemma::propositions
