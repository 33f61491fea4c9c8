#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/grading/attention_checks.h"
#include "tools/grading/attention_knobs.h"
#include "tools/grading/checks.h"
#include "tools/grading/compare.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

struct Sizes {
  int64_t batch, time, width, head;  // B, T, C, D
};

// Whole numbers where `largest` is not 0.
Probe MakeProbe(const std::string& name, const Sizes& n, uint64_t seed, double spread,
                int64_t largest = 0, bool causal = true) {
  Draw draw(seed);
  Probe probe = {.name = name,
                 .sizes = {{"B", n.batch}, {"T", n.time}, {"C", n.width}, {"D", n.head}}};
  const Shape x = {n.batch, n.time, n.width}, weight = {n.head, n.width};
  const double std = spread / std::sqrt(static_cast<double>(n.width));
  probe.inputs.Add("x", largest > 0 ? draw.Whole(x, -3, 3) : draw.Normal(x));
  for (const char* name : {"Wk", "Wq", "Wv"}) {
    probe.inputs.Add(
        name, largest > 0 ? draw.Whole(weight, -largest, largest) : draw.Normal(weight, std));
  }
  probe.inputs.Add("causal", int64_t{causal});
  return probe;
}

constexpr int64_t kPermutation[] = {3, 0, 6, 1, 5, 2, 4};

Tensor Permuted(const Tensor& x) {
  return IndexSelect(x, 1, FromValues<int64_t>(kPermutation, {7}));
}

std::vector<Probe> Probes(uint64_t seed) {
  const Sizes ordinary = {3, 7, 12, 5};
  std::vector<Probe> probes = {MakeProbe("ordinary", ordinary, seed, 1.5)};
  probes.push_back(WithNewPosition(probes[0], "later_token_changed", 5, seed + 1));
  probes.push_back(MakeProbe("unmasked", ordinary, seed, 1.5, 0, false));
  Probe permuted = probes.back();
  permuted.name = "unmasked_permuted";
  permuted.inputs = Values().Add("x", Permuted(probes[0].inputs["x"]));
  for (const char* name : {"Wk", "Wq", "Wv", "causal"}) {
    permuted.inputs.Add(name, probes.back().inputs[name]);
  }
  probes.push_back(permuted);
  probes.push_back(MakeProbe("large_scores", {4, 6, 9, 4}, seed + 2, 0, 50));
  probes.push_back(MakeProbe("one_position", {3, 1, 6, 4}, seed + 3, 1.5));
  probes.push_back(MakeProbe("one_sample", {1, 5, 7, 3}, seed + 5, 1.5));
  probes.push_back(MakeProbe("spread", {2, 9, 10, 6}, seed + 6, 2.5));
  probes.back().tolerance = 1e-4;
  return probes;
}

std::vector<Probe> Witnesses() {
  std::vector<Probe> probes;
  for (const int64_t time : {1, 2, 3}) {
    for (const Sizes& n : {Sizes{1, time, 1, 1}, Sizes{1, time, 1, 2}, Sizes{1, time, 2, 2}}) {
      for (uint64_t seed = 0; seed < 4; ++seed) {
        probes.push_back(MakeProbe("", n, seed, 0, 2, seed % 2 == 0));
      }
    }
  }
  return probes;
}

Values Reference(const Values& in, const Mistakes& m) {
  const AttentionProjections p = {.x = in["x"],
                                  .q = Linear(in["x"], in["Wq"]),
                                  .k = Linear(in["x"], in["Wk"]),
                                  .v = Linear(in["x"], in["Wv"])};
  const bool causal = in.Int("causal") != 0;
  const bool masked = m.Has("causal/ignored") ? true : m.Has("causal/inverted") ? !causal : causal;
  Mistakes inner = m;
  if (!masked) {
    std::vector<std::string> ids = {"mask/none"};
    for (const std::string& id : m.ids()) {
      if (id.rfind("mask/", 0) != 0 && id.rfind("fill/", 0) != 0) ids.push_back(id);
    }
    inner = Mistakes(ids, m.number());
  }
  const AttentionResult result = KnobbedAttention(p, in["x"].size(2), inner);
  return Values().Add("out", result.out).Add("weights", result.returned);
}

// Theorem 6.1: without a mask, permuted positions give permuted outputs.
Finding CheckEquivariance(const Examination& examination) {
  const Tensor out = examination.Ask("unmasked").outputs["out"];
  const Tensor of_permuted = examination.Ask("unmasked_permuted").outputs["out"];
  if (out.rank() != 3 || out.size(1) != 7 || of_permuted.shape() != out.shape()) {
    return {.passed = false, .problem = "its output has no place for each position"};
  }
  const Distance distance =
      Compare(Values().Add("out", of_permuted), Values().Add("out", Permuted(out)), {"out"});
  return {.passed = distance.relative <= 1e-5,
          .measured = AtMost("distance from the permuted output", distance.relative, 1e-5),
          .where = distance.where};
}

}  // namespace

Exercise HeadExercise() {
  Exercise e;
  e.name = "head";
  e.title = "A causal head that keeps its weights";
  e.source = "Step 4, 4.1 to 4.3";
  e.task =
      "The head of Step 4: three projections without bias, an optional causal mask, and its "
      "weights kept in A for the pictures.";
  e.hints = {
      "What does the head do differently where `causal` is false, and what stays the same?",
      "Step 4, 4.1: divide by the square root of the width of k, mask with -inf, softmax over the "
      "last dimension; A is what multiplies the values.",
      "k.size(-1) is D. Only the line with MaskedFill stands under `if (head.causal)`. Then head.A "
      "= "
      "weights, before the product with the values.",
  };
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"out", "weights"};
  e.knobs = AttentionKnobs();
  for (const Knob& knob : ReturnedWeightsKnobs()) e.knobs.push_back(knob);
  e.knobs.push_back({"causal",
                     "masks where head.causal is true",
                     {{"ignored", "masks although head.causal is false"},
                      {"inverted", "masks where head.causal is false, and only there"}}});
  e.checks = {
      ShapesCheck(),
      DeterministicCheck(),
      CleanCheck(),
      SimplexCheck("ordinary"),
      PositiveCheck("spread"),
      TriangularCheck("ordinary"),
      HullCheck("ordinary", [](const Values& in) { return Linear(in["x"], in["Wv"]); }),
      CausalityCheck("ordinary", "later_token_changed", 5),
      {.id = "equivariance",
       .title = "Step 4, 6.1: without a mask, permuted positions give permuted outputs",
       .needs = {"shapes"},
       .run = CheckEquivariance,
       .redundant = "names the statement that is broken, where agreement gives a distance"},
      OrdinaryCheck(),
      AgreementCheck("unmasked", "Agreement: without a mask", "unmasked", {"shapes", "values"}),
      AgreementCheck("large_scores", "Agreement: scores of tens of thousands", "large_scores",
                     {"shapes", "values"}),
      AgreementCheck("one_position", "Agreement: T = 1", "one_position", {"shapes", "values"}),
      AgreementCheck("one_sample", "Agreement: B = 1", "one_sample", {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
