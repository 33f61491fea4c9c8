#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autograd/ops/cast.h"
#include "autograd/ops/dropout.h"
#include "tools/grading/attention_checks.h"
#include "tools/grading/attention_knobs.h"
#include "tools/grading/checks.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

struct Sizes {
  int64_t batch, time, width, heads, head_width;  // B, T, C, H, D
};

struct Mode {
  double dropout = 0.1;
  bool training = false;
};

// Whole numbers in the place of normal ones where `largest` is not 0.
Probe MakeProbe(const std::string& name, const Sizes& n, uint64_t seed, int64_t largest = 0,
                const Mode& mode = {}) {
  Draw draw(seed);
  const int64_t out = n.heads * n.head_width;
  Probe probe = {.name = name,
                 .sizes = {{"B", n.batch},
                           {"T", n.time},
                           {"C", n.width},
                           {"H", n.heads},
                           {"D", n.head_width},
                           {"HD", out}}};
  const auto weight = [&](const Shape& shape) {
    return largest > 0 ? draw.Whole(shape, -largest, largest)
                       : draw.Normal(shape, 1.7 / std::sqrt(static_cast<double>(n.width)));
  };
  const Shape x = {n.batch, n.time, n.width};
  probe.inputs.Add("x", largest > 0 ? draw.Whole(x, -3, 3) : draw.Normal(x));
  for (const char* name : {"W_q", "W_k", "W_v"}) probe.inputs.Add(name, weight({out, n.width}));
  probe.inputs.Add("W_o", weight({out, out})).Add("b_o", weight({out}));
  probe.inputs.Add("heads", n.heads)
      .Add("dropout", mode.dropout)
      .Add("training", int64_t{mode.training})
      .Add("dropout_seed", int64_t{42});
  return probe;
}

std::vector<Probe> Probes(uint64_t seed) {
  const Sizes ordinary = {2, 7, 10, 3, 4};
  std::vector<Probe> probes = {MakeProbe("ordinary", ordinary, seed)};
  probes.push_back(WithNewPosition(probes[0], "later_token_changed", 5, seed + 1));
  probes.push_back(
      MakeProbe("training", ordinary, seed + 2, 0, {.dropout = 0.4, .training = true}));
  probes.push_back(MakeProbe("large_scores", {2, 6, 9, 3, 4}, seed + 3, 60));
  probes.push_back(MakeProbe("one_position", {3, 1, 8, 2, 5}, seed + 4));
  probes.push_back(MakeProbe("long", {2, 40, 8, 5, 3}, seed + 5));
  probes.push_back(MakeProbe("one_sample", {1, 5, 7, 2, 3}, seed + 6));
  return probes;
}

std::vector<Probe> Witnesses() {
  std::vector<Probe> probes;
  for (const int64_t time : {1, 2, 3}) {
    for (const Sizes& n :
         {Sizes{1, time, 1, 1, 1}, Sizes{1, time, 1, 2, 1}, Sizes{1, time, 2, 2, 2}}) {
      for (uint64_t seed = 0; seed < 4; ++seed) {
        probes.push_back(MakeProbe("", n, seed, 2, {.dropout = 0}));
      }
    }
  }
  return probes;
}

// (B, T, H D) -> (B, H, T, D).
Tensor Split(const Tensor& y, int64_t heads, const Mistakes& m) {
  const int64_t batch = y.size(0), time = y.size(1), width = y.size(2) / heads;
  if (m.Has("split/without_transposing")) return Reshape(y, {batch, heads, time, width});
  if (m.Has("split/interleaved") || m.Has("heads/interleaved")) {
    return Permute(Reshape(y, {batch, time, width, heads}), {0, 3, 1, 2});
  }
  return Transpose(Reshape(y, {batch, time, heads, width}), 1, 2);
}

Tensor Merge(const Tensor& y, const Mistakes& m) {
  const int64_t batch = y.size(0), heads = y.size(1), time = y.size(2), width = y.size(3);
  const Shape merged = {batch, time, heads * width};
  if (m.Has("merge/without_transposing")) return Reshape(y, merged);
  if (m.Has("merge/interleaved") || m.Has("heads/interleaved")) {
    return Reshape(Permute(y, {0, 2, 3, 1}), merged);
  }
  if (m.Has("merge/reversed")) {
    std::vector<Tensor> parts;
    for (int64_t h = heads - 1; h >= 0; --h) parts.push_back(Select(y, 1, h));
    return Concat(parts, -1);
  }
  return Reshape(Transpose(y, 1, 2), merged);
}

double ScaleOf(const Values& in, int64_t head_width, const Mistakes& m) {
  if (m.Has("scale/heads")) return std::sqrt(static_cast<double>(in.Int("heads")));
  if (m.Has("scale/inputs")) return std::sqrt(static_cast<double>(in["x"].size(2)));
  return std::sqrt(static_cast<double>(head_width));
}

Values Reference(const Values& in, const Mistakes& m) {
  const int64_t heads = in.Int("heads");
  const auto project = [&](const char* name) { return Split(Linear(in["x"], in[name]), heads, m); };
  const AttentionProjections p = {in["x"], project("W_q"), project("W_k"), project("W_v")};
  const double drop = in.Number("dropout");
  const bool active =
      m.Has("dropout/always") || (in.Int("training") != 0 && !m.Has("dropout/never"));
  Generator generator(static_cast<uint64_t>(in.Int("dropout_seed")));
  const auto dropped = [&](Tensor x) {
    if (!active || drop == 0) return x;
    const double scale = m.Has("dropout/not_rescaled") ? 1 : 1 / (1 - drop);
    return x * Cast(DropoutMask(x.shape(), drop, generator), x.dtype()) * scale;
  };
  const bool on_weights = !m.Has("dropout/output") && !m.Has("dropout/scores");
  Mistakes inner = m;
  if (m.Has("scale/heads") || m.Has("scale/inputs")) {
    std::vector<std::string> ids = m.ids();
    ids.push_back("scale/other");
    inner = Mistakes(ids, ScaleOf(in, p.q.size(-1), m));
  }
  const AttentionResult attention =
      KnobbedAttention(p, heads * p.q.size(-1), inner,
                       on_weights ? std::function<Tensor(Tensor)>(dropped) : nullptr);
  Tensor y = Merge(attention.out, m);
  const Tensor bias = m.Has("projection/no_bias") ? Tensor() : in["b_o"];
  if (m.Has("projection/transposed")) {
    y = Linear(y, Transpose(in["W_o"], 0, 1), bias);
  } else if (!m.Has("projection/none")) {
    y = Linear(y, in["W_o"], bias);
  }
  if (m.Has("projection/twice")) y = Linear(y, in["W_o"], bias);
  return Values().Add("out", m.Has("dropout/output") ? dropped(y) : y);
}

std::vector<Knob> Knobs() {
  std::vector<Knob> knobs = AttentionKnobs();
  for (Knob& knob : knobs) {
    if (knob.id != "scale") continue;
    for (Setting& setting : knob.wrong) {
      if (setting.id == "width") {
        setting.what =
            "divides the scores by sqrt(H D) = sqrt({HD}), the width of all heads, not by "
            "sqrt(D) = sqrt({D}), that of one";
      }
      if (setting.id == "width_no_root") setting.what = "divides the scores by H D = {HD}";
    }
    knob.wrong.push_back(
        {"heads", "divides the scores by sqrt(H) = sqrt({H}), the number of heads",
         "tt-metal 56789: the prediction stayed right, which is why nobody saw it."});
    knob.wrong.push_back(
        {"inputs", "divides the scores by sqrt(C) = sqrt({C}), the inputs' width"});
  }
  const std::vector<Knob> own = {
      {"split",
       "splits each position into heads",
       {{"without_transposing",
         "reshapes to (B, H, T, D) without transposing, which mixes positions"},
        {"interleaved", "splits every H-th channel into a head but merges heads in blocks"}}},
      {"merge",
       "merges the heads of each position",
       {{"without_transposing",
         "reshapes to (B, T, H D) without transposing back, which mixes "
         "positions"},
        {"interleaved", "merges the heads channel by channel though it split them in blocks"},
        {"reversed", "merges the heads in the reverse order"}}},
      {"heads",
       "gives head h columns h D to (h + 1) D",
       {{"interleaved", "gives head h every H-th column, when it splits and when it merges", "",
         true}}},
      {"projection",
       "ends with out_proj",
       {{"none", "does not apply out_proj"},
        {"no_bias", "leaves out the bias of out_proj"},
        {"transposed", "multiplies with the transposed weight of out_proj"},
        {"twice", "applies out_proj twice"}}},
      {"dropout",
       "drops weights while training",
       {{"never", "does not drop weights in training"},
        {"always", "drops weights in evaluation too"},
        {"output", "drops elements of the output, not weights"},
        {"not_rescaled", "drops weights without dividing the others by 1 - p"}}},
  };
  knobs.insert(knobs.end(), own.begin(), own.end());
  return knobs;
}

}  // namespace

Exercise MultiHeadAttentionExercise() {
  Exercise e;
  e.name = "multi_head_attention";
  e.title = "The forward of causal multi-head attention";
  e.source = "LM3-L3, 4";
  e.task =
      "Several heads attend side by side, each in a width of its own; their results are merged "
      "and projected. The layer's parts are given; write its forward.";
  e.hints = {
      "After Reshape to (B, T, H, D), which two dimensions must change places so that each head "
      "sees "
      "all positions of one sequence?",
      "LM3-L3, section 4: scores are divided by the square root of the width of one head; dropout "
      "falls on the weights; merging is splitting backwards.",
      "Split: Transpose(Reshape(W_q(x), {B, T, H, D}), 1, 2). Merge: Reshape(Transpose(y, 1, 2), "
      "{B, "
      "T, H * D}). Then out_proj.",
  };
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"out"};
  e.knobs = Knobs();
  e.checks = {
      ShapesCheck(),
      FiniteCheck(),
      DeterministicCheck(),
      CleanCheck(),
      CausalityCheck("ordinary", "later_token_changed", 5),
      OrdinaryCheck(),
      AgreementCheck("dropout", "Agreement: the same weights dropped in training", "training",
                     {"shapes", "values"}),
      AgreementCheck("large_scores", "Agreement: scores of tens of thousands", "large_scores",
                     {"shapes", "values"}),
      AgreementCheck("one_position", "Agreement: T = 1", "one_position", {"shapes", "values"}),
      AgreementCheck("long", "Agreement: T = 40", "long", {"shapes", "values"}),
      AgreementCheck("one_sample", "Agreement: B = 1", "one_sample", {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
