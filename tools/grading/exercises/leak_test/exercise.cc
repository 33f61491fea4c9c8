#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/grading/checks.h"
#include "tools/grading/compare.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/exercises/leak_test/suspects.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

Probe MakeProbe(const std::string& name, int64_t b, int64_t t, int64_t c, uint64_t seed) {
  Draw draw(seed);
  const Tensor x = draw.Normal({b, t, c});
  Probe probe = {.name = name, .sizes = {{"B", b}, {"T", t}, {"C", c}}};
  probe.inputs.Add("x", x).Add("seed", static_cast<int64_t>(seed % 1000) + 7);
  AddSuspects(x, probe.inputs);
  return probe;
}

std::vector<Probe> Probes(uint64_t seed) {
  return {MakeProbe("ordinary", 3, 6, 8, seed), MakeProbe("three_positions", 2, 3, 5, seed + 1)};
}

// A leak test with mistakes.
double LeakOf(const SuspectLayer& layer, const Tensor& x, Generator& generator, const Mistakes& m) {
  const int64_t b = x.size(0), t = x.size(1), c = x.size(2);
  const auto replaced = [&](int64_t at) {
    const Tensor token = RandN({b, 1, c}, generator) * 3.0;
    return Concat({Slice(x, 1, 0, at), token, Slice(x, 1, at + 1)}, 1);
  };
  Tensor x2 = replaced(m.Has("change/first") ? 0 : t - 1);
  if (m.Has("change/nothing")) x2 = x;
  if (m.Has("change/little")) x2 = x + PadSlice(Ones({b, 1, c}) * 1e-4, x.shape(), 1, t - 1);
  const int64_t end = m.Has("compare/all_positions") ? t : m.Has("compare/short") ? t - 2 : t - 1;
  const int64_t begin = m.Has("compare/without_the_first") ? 1
                        : m.Has("compare/last_position")   ? t - 1
                                                           : 0;
  Tensor d = Slice(layer(x) - layer(x2), 1, begin, m.Has("compare/last_position") ? t : end);
  if (m.Has("compare/first_sample")) d = Slice(d, 0, 0, 1);
  if (d.numel() == 0) return 0;
  if (m.Has("measure/signed_mean")) return std::abs(Mean(d).Item());
  if (m.Has("measure/not_absolute")) return std::max(0.0, -Min(d).Item());
  if (m.Has("measure/rounded")) return Max(Abs(d)).Item() > 1e-2 ? 1 : 0;
  if (m.Has("measure/smallest")) return Min(Abs(d)).Item();
  return Max(Abs(d)).Item();
}

Values Reference(const Values& in, const Mistakes& m) {
  const std::vector<SuspectLayer> layers = SuspectLayers(in);
  std::vector<int64_t> caught;
  for (size_t i = 0; i < layers.size(); ++i) {
    Generator generator(static_cast<uint64_t>(in.Int("seed")));
    caught.push_back(m.ids().empty() ? int64_t{Suspects()[i].leaks}
                                     : LeakOf(layers[i], in["x"], generator, m) > 1e-6);
  }
  return Values().Add("caught", FromVector(caught, {static_cast<int64_t>(caught.size())}));
}

Finding CheckCaught(const Examination& examination, bool leaking) {
  const std::vector<Suspect>& layers = Suspects();
  const Answer answer = examination.Ask("ordinary");
  const Tensor* caught = answer.outputs.Find("caught");
  if (caught == nullptr || caught->numel() != static_cast<int64_t>(layers.size())) {
    return {.passed = false,
            .problem = absl::StrCat("caught must have an element for each of the ", layers.size(),
                                    " layers")};
  }
  std::vector<std::string> wrong;
  const std::vector<double> found = Doubles(*caught);
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].leaks == leaking && (found[i] != 0) != leaking) wrong.push_back(layers[i].name);
  }
  return {.passed = wrong.empty(),
          .measured = absl::StrCat(
              wrong.size(), leaking ? " leaking layers not caught" : " causal layers accused"),
          .where = absl::StrJoin(wrong, ", ")};
}

}  // namespace

Exercise LeakTestExercise() {
  Exercise e;
  e.name = "leak_test";
  e.title = "A test that finds leaks";
  e.source = "LM3-L3, 3";
  e.task =
      "Write the test that tells a causal layer from one that leaks. It is tried on layers that "
      "are known to leak, some of them hardly, and on some that do not.";
  e.hints = {
      "Which positions may change when the last token does?",
      "LM3-L3, section 3: compare positions 0 to T - 2, of all samples, by the largest absolute "
      "difference.",
      "x2 = Concat({Slice(x, 1, 0, T - 1), RandN({B, 1, C}, generator) * 3.0}, 1); then "
      "Max(Abs(Slice(layer(x) - layer(x2), 1, 0, T - 1))).Item().",
  };
  e.functions =
      "Layer i of 10 is y[b] = mix[i, b] x[b] + squares[i, b] s[b], where s[b] (T, C) holds at "
      "each "
      "position, C times, the sum of its squared elements. caught (10) is 1 where your test, tried "
      "on "
      "layer i with x, finds a leak, else 0.";
  e.probes = Probes;
  e.reference = Reference;
  e.outputs = {"caught"};
  e.knobs = {
      {"change",
       "replaces the last token",
       {{"first", "replaces the first token, which all later outputs may see"},
        {"nothing",
         "compares the layer with itself, since nothing was changed (two handles of one "
         "tensor are no copy)"},
        {"little", "changes the last token by so little that faint leaks drown in rounding"}}},
      {"compare",
       "compares all positions but the last",
       {{"all_positions", "compares the last position too, which may change"},
        {"last_position", "compares only the last position, which may change"},
        {"short", "leaves out the position before the last, the next token's neighbour"},
        {"without_the_first", "leaves out the first position"},
        {"first_sample", "compares the first sample only"}}},
      {"measure",
       "takes the largest absolute difference",
       {{"signed_mean", "takes the mean of signed differences, in which leaks cancel"},
        {"not_absolute", "looks at differences of one sign only"},
        {"rounded", "ignores differences below 0.01"},
        {"smallest", "takes the smallest difference, not the largest"}}},
  };
  e.checks = {
      {.id = "innocent",
       .title = "Causal layers are not accused",
       .needs = {},
       .run = [](const Examination& x) { return CheckCaught(x, false); },
       .redundant = "says which layers, and that the alarm is false"},
      {.id = "guilty",
       .title = "Every leaking layer is caught",
       .needs = {},
       .run = [](const Examination& x) { return CheckCaught(x, true); },
       .redundant = "says which layers get past the test"},
      DeterministicCheck(),
      AgreementCheck("three_positions", "Agreement: T = 3", "three_positions",
                     {"innocent", "guilty"}),
  };
  e.checks[2].needs = {};
  return e;
}

}  // namespace lemma::tools::grading
