#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/grading/attention_checks.h"
#include "tools/grading/attention_knobs.h"
#include "tools/grading/checks.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

struct Sizes {
  int64_t batch, time, width, head;  // B, T, C, D
};

Probe MakeProbe(const std::string& name, const Sizes& n, uint64_t seed, double spread) {
  Draw draw(seed);
  Probe probe = {.name = name,
                 .sizes = {{"B", n.batch}, {"T", n.time}, {"C", n.width}, {"D", n.head}}};
  probe.inputs.Add("x", draw.Normal({n.batch, n.time, n.width}));
  for (const char* weight : {"Wq", "Wk", "Wv"}) {
    probe.inputs.Add(weight, draw.Normal({n.width, n.head}, spread / std::sqrt(n.width)));
  }
  return probe;
}

// Whole numbers, so that the scores, tens of thousands, are exact in float32.
Probe MakeWholeProbe(const std::string& name, const Sizes& n, uint64_t seed, int64_t largest) {
  Draw draw(seed);
  Probe probe = {.name = name,
                 .sizes = {{"B", n.batch}, {"T", n.time}, {"C", n.width}, {"D", n.head}}};
  probe.inputs.Add("x", draw.Whole({n.batch, n.time, n.width}, -3, 3));
  for (const char* weight : {"Wq", "Wk", "Wv"}) {
    probe.inputs.Add(weight, draw.Whole({n.width, n.head}, -largest, largest));
  }
  return probe;
}

// Whether some query sees no key with a score above -12,000: then what hidden scores are filled
// with matters, unless it is -inf.
bool HasLowRow(const Probe& probe) {
  const Tensor x = probe.inputs["x"];
  const Tensor q = MatMul(x, probe.inputs["Wq"]), k = MatMul(x, probe.inputs["Wk"]);
  const Tensor s = MatMul(q, Transpose(k, -2, -1)) / std::sqrt(q.size(-1));
  const Tensor visible = MaskedFill(s, Triu(Ones({x.size(1), x.size(1)}, DType::kBool), 1), -1e9);
  return Min(AMax(visible, {-1})).Item() < -12000;
}

Probe LargeScores(uint64_t seed) {
  while (true) {
    Probe probe = MakeWholeProbe("large_scores", {2, 6, 9, 4}, seed, 50);
    if (HasLowRow(probe)) return probe;
    seed += 1000;
  }
}

std::vector<Probe> Probes(uint64_t seed) {
  std::vector<Probe> probes = {MakeProbe("ordinary", {3, 7, 12, 5}, seed, 1.5)};
  probes.push_back(WithNewPosition(probes[0], "later_token_changed", 5, seed + 1));
  probes.push_back(LargeScores(seed + 2));
  probes.push_back(MakeProbe("one_position", {3, 1, 6, 4}, seed + 3, 1.5));
  probes.push_back(MakeProbe("long", {2, 40, 8, 3}, seed + 4, 1.5));
  probes.push_back(MakeProbe("one_sample", {1, 5, 7, 3}, seed + 5, 1.5));
  probes.push_back(MakeProbe("spread", {2, 9, 10, 6}, seed + 6, 2.5));
  probes.back().tolerance = 1e-4;
  return probes;
}

std::vector<Probe> Witnesses() {
  std::vector<Probe> probes;
  for (const int64_t time : {1, 2, 3}) {
    for (const Sizes& n :
         {Sizes{1, time, 1, 1}, Sizes{1, time, 1, 2}, Sizes{1, time, 2, 2}, Sizes{1, time, 3, 2}}) {
      for (uint64_t seed = 0; seed < 4; ++seed) probes.push_back(MakeWholeProbe("", n, seed, 2));
    }
  }
  return probes;
}

// (B, T, C) x (C, D) for each matrix.
Values Reference(const Values& in, const Mistakes& mistakes) {
  const AttentionProjections p = {.x = in["x"],
                                  .q = MatMul(in["x"], in["Wq"]),
                                  .k = MatMul(in["x"], in["Wk"]),
                                  .v = MatMul(in["x"], in["Wv"])};
  const AttentionResult result = KnobbedAttention(p, in["x"].size(2), mistakes);
  return Values().Add("out", result.out).Add("weights", result.returned);
}

}  // namespace

Exercise CausalAttentionExercise() {
  Exercise e;
  e.name = "causal_attention";
  e.title = "Causal attention of one head";
  e.source = "LM3-L3, 2 and 3; Step 4, 4.1";
  e.task =
      "Given inputs and three projection matrices, compute the attention of one causal head and "
      "return both its output and its weights. Each position may look at itself and at what came "
      "before it.";
  e.hints = {
      "Each row of the weights is a distribution over the keys. Along which dimension do you "
      "normalise, and which keys may the first query see?",
      "LM3-L3, section 2: the scores of future keys become -inf before the softmax, not 0 after "
      "it; and the scores are divided by the square root of the width of q and k, which is not the "
      "width of x.",
      "In order: q, k, v by MatMul; scores = MatMul(q, Transpose(k, -2, -1)) / std::sqrt(D) with D "
      "= q.size(-1); MaskedFill with Triu(Ones({T, T}, DType::kBool), 1) and -INFINITY; "
      "Softmax(scores, -1); MatMul(weights, v).",
  };
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"out", "weights"};
  e.knobs = AttentionKnobs();
  for (const Knob& knob : ReturnedWeightsKnobs()) e.knobs.push_back(knob);
  e.checks = {
      ShapesCheck(),
      FiniteCheck(),
      DeterministicCheck(),
      CleanCheck(),
      SimplexCheck("ordinary"),
      PositiveCheck("spread"),
      TriangularCheck("ordinary"),
      HullCheck("ordinary", [](const Values& in) { return MatMul(in["x"], in["Wv"]); }),
      CausalityCheck("ordinary", "later_token_changed", 5),
      OrdinaryCheck(),
      AgreementCheck("large_scores", "Agreement: scores of tens of thousands", "large_scores",
                     {"shapes", "values"}),
      AgreementCheck("one_position", "Agreement: T = 1", "one_position", {"shapes", "values"}),
      AgreementCheck("long", "Agreement: T = 40", "long", {"shapes", "values"}),
      AgreementCheck("one_sample", "Agreement: B = 1", "one_sample", {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
