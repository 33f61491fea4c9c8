#include <cstdint>
#include <string>
#include <vector>

#include "tools/grading/checks.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

// A count is right to the last parameter or wrong.
constexpr double kExact = 1e-12;

Probe MakeProbe(const std::string& name, int64_t v, int64_t t, int64_t c, int64_t h, int64_t l) {
  return {.name = name,
          .inputs = Values().Add("V", v).Add("T", t).Add("C", c).Add("H", h).Add("L", l),
          .sizes = {{"V", v}, {"T", t}, {"C", c}, {"H", h}, {"L", l}},
          .tolerance = kExact};
}

std::vector<Probe> Probes(uint64_t seed) {
  const int64_t vocabulary = 29 + static_cast<int64_t>(seed % 7);
  return {MakeProbe("ordinary", vocabulary, 10, 12, 3, 2), MakeProbe("course", 65, 64, 128, 4, 4),
          MakeProbe("one_block", 11, 7, 8, 2, 1), MakeProbe("large", 50257, 1023, 771, 3, 13)};
}

Values Reference(const Values& in, const Mistakes& m) {
  const int64_t V = in.Int("V"), T = in.Int("T"), C = in.Int("C"), H = in.Int("H"), L = in.Int("L");
  int64_t norm = m.Has("norm/no_bias") ? C : 2 * C;
  if (m.Has("norm/none")) norm = 0;
  int64_t qkv = 3 * C * C;
  if (m.Has("qkv/bias")) qkv += 3 * C;
  if (m.Has("qkv/each_head_full")) qkv *= H;
  if (m.Has("qkv/one_matrix")) qkv = C * C;
  if (m.Has("qkv/one_head")) qkv = 3 * C * (C / H);
  int64_t proj = C * C + C;
  if (m.Has("proj/no_bias")) proj = C * C;
  if (m.Has("proj/none")) proj = 0;
  int64_t mlp = 8 * C * C + 5 * C;
  if (m.Has("mlp/no_bias")) mlp = 8 * C * C;
  if (m.Has("mlp/narrow_bias")) mlp = 8 * C * C + 2 * C;
  if (m.Has("mlp/one_matrix")) mlp = 4 * C * C + 4 * C;
  if (m.Has("mlp/not_wider")) mlp = 2 * (C * C + C);
  const int64_t norms = m.Has("norm/one_a_block") ? 1 : 2;
  const int64_t blocks = m.Has("blocks/one") ? 1 : L;
  int64_t count = V * C + blocks * (norms * norm + qkv + proj + mlp);
  if (!m.Has("positions/none")) count += T * C;
  if (!m.Has("final/none")) count += norm;
  if (!m.Has("head/tied")) count += C * V;
  if (m.Has("head/bias")) count += V;
  if (m.Has("mask/counted")) count += L * T * T;
  if (m.Has("rule/twelve")) count = 12 * L * C * C;
  if (m.Has("rule/twelve_and_embeddings")) count = 12 * L * C * C + 2 * V * C + T * C;
  return Values().Add("count", count);
}

}  // namespace

Exercise GptCountExercise() {
  Exercise e;
  e.name = "gpt_count";
  e.title = "The number of a GPT's parameters";
  e.source = "Step 5, 5.4, verification 1";
  e.task = "Derive the number of parameters from the sizes, to the integer.";
  e.hints = {
      "Which of the matrices have a bias, and how many numbers has a LayerNorm?",
      "Step 5, 5.4: embeddings, attention, MLPs, LayerNorms, and the head, which is not tied.",
      "V C + T C + L (3 C^2 + C^2 + C + 8 C^2 + 5 C + 4 C) + 2 C + C V.",
  };
  e.probes = Probes;
  e.witnesses = [] {
    return std::vector<Probe>{MakeProbe("", 2, 1, 1, 1, 1), MakeProbe("", 3, 2, 2, 2, 1),
                              MakeProbe("", 3, 2, 2, 2, 2)};
  };
  e.reference = Reference;
  e.outputs = {"count"};
  e.knobs = {
      {"norm",
       "counts weight and bias of each LayerNorm, two a block",
       {{"no_bias", "forgets the biases of the LayerNorms"},
        {"none", "forgets the LayerNorms"},
        {"one_a_block", "counts one LayerNorm a block, not two"}}},
      {"qkv",
       "counts 3 C^2 for q, k and v of all heads",
       {{"bias", "counts biases of q, k and v, which have none"},
        {"each_head_full", "counts matrices of the full width for each of H = {H} heads"},
        {"one_matrix", "counts one C by C matrix for q, k and v together"},
        {"one_head", "counts the matrices of one head only"}}},
      {"proj",
       "counts C^2 + C for the projection",
       {{"no_bias", "forgets the bias of attention's projection"},
        {"none", "forgets attention's projection"}}},
      {"mlp",
       "counts 8 C^2 + 5 C for the MLP",
       {{"no_bias", "forgets the biases of the MLP"},
        {"narrow_bias", "gives the MLP's first bias C numbers, not 4 C"},
        {"one_matrix", "forgets the MLP's second matrix"},
        {"not_wider", "has an MLP of width C, not 4 C"}}},
      {"positions",
       "counts the embedding of positions",
       {{"none", "forgets the embedding of positions"}}},
      {"final", "counts the last LayerNorm", {{"none", "forgets the LayerNorm after the blocks"}}},
      {"head",
       "counts C V for the head",
       {{"tied", "does not count the head, as if it were tied to the embedding"},
        {"bias", "counts a bias of the head, which has none"}}},
      {"blocks", "counts every block", {{"one", "counts one block, not L = {L}"}}},
      {"mask",
       "counts no buffers",
       {{"counted", "counts the causal masks, which are no parameters"}}},
      {"rule",
       "counts everything",
       {{"twelve", "gives the rule of thumb, 12 L C^2, which ignores all else"},
        {"twelve_and_embeddings",
         "gives the rule of thumb and the embeddings, without biases and "
         "LayerNorms"}}},
  };
  e.checks = {
      AgreementCheck("values", "Agreement: V = 29 to 35, T = 10, C = 12, H = 3, L = 2", "ordinary",
                     {}, "is what the other sizes stand on"),
      AgreementCheck("course", "Step 5, 5.4: 816,640 for the course's model", "course", {},
                     "is the course's own number"),
      AgreementCheck("one_block", "Agreement: one block", "one_block", {"values"}),
      AgreementCheck("large", "Agreement: 220 million parameters", "large", {"values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
