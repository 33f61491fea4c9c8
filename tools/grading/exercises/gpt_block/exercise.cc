#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/grading/checks.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/exercises/gpt_block/parts.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

Probe MakeProbe(const std::string& name, int64_t b, int64_t t, int64_t c, uint64_t seed) {
  Draw draw(seed);
  return {.name = name,
          .inputs = Values()
                        .Add("x", draw.Normal({b, t, c}, 2) + 0.3)
                        .Add("ln1", Abs(draw.Normal({c})) + 0.5)
                        .Add("attn", draw.Normal({c, c}))
                        .Add("ln2", Abs(draw.Normal({c})) + 0.5)
                        .Add("mlp", draw.Normal({c, c})),
          .sizes = {{"B", b}, {"T", t}, {"C", c}}};
}

std::vector<Probe> Probes(uint64_t seed) {
  std::vector<Probe> probes = {MakeProbe("ordinary", 2, 7, 6, seed)};
  probes.push_back(MakeProbe("one_position", 3, 1, 5, seed + 2));
  probes.push_back(MakeProbe("one_sample", 1, 5, 8, seed + 3));
  return probes;
}

std::vector<Probe> Witnesses() {
  std::vector<Probe> probes;
  for (const int64_t time : {1, 2}) {
    for (const int64_t width : {2, 3}) {
      Draw draw(5);
      const auto whole = [&](const Shape& shape) { return draw.Whole(shape, -2, 2); };
      probes.push_back({.name = "",
                        .inputs = Values()
                                      .Add("x", whole({1, time, width}))
                                      .Add("ln1", Ones({width}))
                                      .Add("attn", whole({width, width}))
                                      .Add("ln2", Ones({width}))
                                      .Add("mlp", whole({width, width})),
                        .sizes = {{"B", 1}, {"T", time}, {"C", width}}});
    }
  }
  return probes;
}

Values Reference(const Values& in, const Mistakes& m) {
  const Tensor x = in["x"];
  BlockPart ln1 = MakeBlockPart(in, "ln1"), ln2 = MakeBlockPart(in, "ln2");
  BlockPart attn = MakeBlockPart(in, "attn"), mlp = MakeBlockPart(in, "mlp");
  const BlockPart nothing = [](const Tensor& y) { return y; };
  if (m.Has("norm/none")) ln1 = ln2 = nothing;
  if (m.Has("norm/no_first")) ln1 = nothing;
  if (m.Has("norm/no_second")) ln2 = nothing;
  if (m.Has("norm/first_twice")) ln2 = ln1;
  if (m.Has("norm/swapped")) std::swap(ln1, ln2);
  if (m.Has("order/mlp_first")) std::swap(attn, mlp);
  const auto add = [&](const Tensor& stream, const Tensor& read, const Tensor& delta, bool first) {
    if (m.Has("residual/none") || m.Has(first ? "residual/no_first" : "residual/no_second"))
      return delta;
    if (m.Has("residual/of_the_norm")) return read + delta;
    if (m.Has("residual/subtracted")) return stream - delta;
    if (m.Has("residual/doubled")) return stream + delta + delta;
    if (const auto factor = m.Number("residual/other")) return stream + delta * *factor;
    return stream + delta;
  };
  if (m.Has("norm/post")) {
    const Tensor y = ln1(add(x, x, attn(x), true));
    return Values().Add("y", ln2(add(y, y, mlp(y), false)));
  }
  const Tensor read1 = ln1(x);
  const Tensor y = add(x, read1, attn(read1), true);
  if (m.Has("order/parallel")) return Values().Add("y", y + mlp(ln2(x)));
  if (m.Has("order/from_the_input")) return Values().Add("y", x + mlp(ln2(y)));
  const Tensor read2 = ln2(y);
  const Tensor z = add(y, read2, mlp(read2), false);
  return Values().Add("y", m.Has("norm/after_too") ? ln2(z) : z);
}

}  // namespace

Exercise GptBlockExercise() {
  Exercise e;
  e.name = "gpt_block";
  e.title = "A pre-norm block";
  e.source = "Step 5, 5.1 to 5.3";
  e.task =
      "Put attention and MLP together: each half reads a normalised copy of the stream and adds "
      "its output to it.";
  e.hints = {
      "If attention and MLP both returned 0, what should the block return?",
      "Step 5, 5.1: pre-norm. The norm stands inside the branch, the stream itself is never "
      "normalised.",
      "y = x + attn(ln1(x)); y + mlp(ln2(y)).",
  };
  e.functions =
      "ln1(x) = (x - mean) / sqrt(variance + 1e-5) * ln1, each row by itself and the variance "
      "divided "
      "by C; ln2 likewise. attn(x) = M x attn, where row t of M x is the mean of rows 0 to t of x. "
      "mlp(x) = tanh(x mlp).";
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"y"};
  e.knobs = {
      {"norm",
       "normalises what each half reads",
       {{"post", "normalises after the addition (post-norm), so that the stream is normalised",
         "The original transformer's way; a deep one needs warm-up for it."},
        {"none", "does not normalise at all"},
        {"no_first", "does not normalise what attention reads"},
        {"no_second", "does not normalise what the MLP reads"},
        {"first_twice", "uses ln1 in both halves"},
        {"swapped", "has ln1 and ln2 swapped"},
        {"after_too", "normalises the stream at its end too"}}},
      {"residual",
       "adds to the stream",
       {{"none", "returns what the halves give without adding it to the stream"},
        {"no_first", "does not add attention's output to the stream but replaces it"},
        {"no_second", "does not add the MLP's output to the stream but replaces it"},
        {"of_the_norm", "adds to the normalised copy, not to the stream",
         "Seen in faster-trajectory-transformer 3, RiNALMo 9, burn 1054."},
        {"subtracted", "subtracts from the stream"},
        {"doubled", "adds each half twice"},
        {.id = "other", .what = "adds {number} times what each half gives", .fitted = Range{}}}},
      {"order",
       "runs attention, then the MLP on the result",
       {{"mlp_first", "runs the MLP before attention"},
        {"parallel", "gives the MLP the block's input, not attention's result"},
        {"from_the_input", "adds the MLP's output to the block's input and loses attention's"}}},
  };
  e.checks = {
      ShapesCheck(),
      DeterministicCheck(),
      CleanCheck(),
      OrdinaryCheck(),
      AgreementCheck("one_position", "Agreement: T = 1", "one_position", {"shapes", "values"}),
      AgreementCheck("one_sample", "Agreement: B = 1", "one_sample", {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
