#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/grading/checks.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

struct Numbers {
  double lr = 0.1, beta1 = 0.8, beta2 = 0.95, eps = 1e-3, weight_decay = 0.3;
};

// Gradients of size `spread`; at step 1 the running means are 0.
Probe MakeProbe(const std::string& name, int64_t n, int64_t step, uint64_t seed, double spread,
                const Numbers& o = {}) {
  Draw draw(seed);
  Probe probe = {.name = name, .sizes = {{"n", n}, {"step", step}}};
  const Tensor v = draw.Normal({n}, spread);
  probe.inputs.Add("p", draw.Normal({n}, 2))
      .Add("g", draw.Normal({n}, spread))
      .Add("m", step == 1 ? Zeros({n}) : draw.Normal({n}, spread * 0.5))
      .Add("v", step == 1 ? Zeros({n}) : v * v)
      .Add("step", step)
      .Add("lr", o.lr)
      .Add("beta1", o.beta1)
      .Add("beta2", o.beta2)
      .Add("eps", o.eps)
      .Add("weight_decay", o.weight_decay);
  return probe;
}

std::vector<Probe> Probes(uint64_t seed) {
  return {MakeProbe("ordinary", 9, 3, seed, 1), MakeProbe("first_step", 7, 1, seed + 1, 1),
          MakeProbe("small_gradients", 8, 4, seed + 2, 1e-3, {.weight_decay = 0}),
          MakeProbe("late_step", 6, 20000, seed + 3, 1),
          MakeProbe("no_gradients", 5, 1, seed + 4, 0, {.eps = 1e-8})};
}

std::vector<Probe> Witnesses() {
  std::vector<Probe> probes;
  for (const int64_t step : {1, 2}) {
    Draw draw(4);
    Probe probe = {.name = "", .sizes = {{"n", 2}, {"step", step}}};
    probe.inputs.Add("p", draw.Whole({2}, 1, 3))
        .Add("g", draw.Whole({2}, -2, 2))
        .Add("m", draw.Whole({2}, 0, step == 1 ? 0 : 1))
        .Add("v", draw.Whole({2}, 0, step == 1 ? 0 : 1))
        .Add("step", step)
        .Add("lr", 0.5)
        .Add("beta1", 0.5)
        .Add("beta2", 0.75)
        .Add("eps", 0.25)
        .Add("weight_decay", 0.5);
    probes.push_back(probe);
  }
  return probes;
}

Setting InThePlaceOf(const char* id, const std::string& option, const Range& range) {
  return {.id = id, .what = "uses {number} in the place of " + option, .fitted = range};
}

Values Reference(const Values& in, const Mistakes& x) {
  const auto option = [&](const char* name, const char* setting) {
    return x.Number(setting).value_or(in.Number(name));
  };
  const double lr = option("lr", "lr/other"), eps = option("eps", "eps/other");
  const double decay = option("weight_decay", "decay/other");
  double beta1 = option("beta1", "betas/other_beta1"), beta2 = option("beta2", "betas/other_beta2");
  if (x.Has("betas/swapped")) std::swap(beta1, beta2);
  Tensor p = in["p"], g = in["g"];
  if (x.Has("decay/in_the_gradient")) g = g + p * decay;
  const double share1 = x.Has("betas/not_complementary") ? 1 : 1 - beta1;
  const double share2 = x.Has("betas/not_complementary") ? 1 : 1 - beta2;
  const Tensor m = in["m"] * beta1 + g * share1;
  const Tensor square = x.Has("second/not_squared")   ? Abs(g)
                        : x.Has("second/of_the_mean") ? m * m
                                                      : g * g;
  const Tensor v = in["v"] * beta2 + square * share2;
  const double step = static_cast<double>(in.Int("step") - (x.Has("step/from_zero") ? 1 : 0) +
                                          (x.Has("step/one_ahead") ? 1 : 0));
  double c1 = 1 - std::pow(beta1, step), c2 = 1 - std::pow(beta2, step);
  if (x.Has("correction/none")) c1 = c2 = 1;
  if (x.Has("correction/first_only")) c2 = 1;
  if (x.Has("correction/second_only")) c1 = 1;
  if (x.Has("correction/same_for_both")) c2 = c1;
  const Tensor mean = (x.Has("second/gradient_not_mean") ? g : m) / c1;
  Tensor divisor = Sqrt(v / c2) + eps;
  if (x.Has("eps/under_the_root")) divisor = Sqrt(v / c2 + eps);
  if (x.Has("eps/before_correction")) divisor = (Sqrt(v) + eps) / std::sqrt(c2);
  if (x.Has("eps/forgotten")) divisor = Sqrt(v / c2);
  if (x.Has("second/no_root")) divisor = v / c2 + eps;
  const Tensor update = mean / divisor * lr;
  if (x.Has("decay/without_lr")) p = p * (1 - decay);
  if (!x.Has("decay/none") && !x.Has("decay/in_the_gradient") && !x.Has("decay/without_lr") &&
      !x.Has("decay/after")) {
    p = p * (1 - lr * decay);
  }
  p = x.Has("sign/ascends") ? p + update : p - update;
  if (x.Has("decay/after")) p = p * (1 - lr * decay);
  return Values().Add("p", p).Add("m", m).Add("v", v);
}

}  // namespace

Exercise AdamWStepExercise() {
  Exercise e;
  e.name = "adamw_step";
  e.title = "One step of AdamW";
  e.source = "Step 5, the smoke test; Loshchilov and Hutter, arXiv:1711.05101";
  e.task = "Write one step of AdamW: decoupled decay, running means, their bias corrections.";
  e.hints = {
      "In the first step m is 0.2 g, a fifth of the gradient, where beta1 is 0.8. What undoes "
      "that?",
      "Decay touches p alone, never g; eps is added to the root, after the correction.",
      "p (1 - lr wd) - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps), with t from 1 on.",
  };
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"p", "m", "v"};
  e.knobs = {
      {"decay",
       "shrinks p by lr weight_decay first",
       {{"none", "leaves out the weight decay"},
        {"in_the_gradient", "adds weight_decay p to the gradient, which is Adam's L2, not AdamW's"},
        {"without_lr", "shrinks p by weight_decay, without the learning rate"},
        {"after", "shrinks p after the step, not before"},
        InThePlaceOf("other", "weight_decay", {.low = 1e-5, .high = 2})}},
      {"betas",
       "weighs old and new with beta and 1 - beta",
       {{"swapped", "has beta1 and beta2 swapped"},
        {"not_complementary", "adds the whole gradient, not 1 - beta of it"},
        InThePlaceOf("other_beta1", "beta1", {.high = 1}),
        InThePlaceOf("other_beta2", "beta2", {.high = 1})}},
      {"second",
       "divides the mean by the root of the mean square",
       {{"not_squared", "averages the gradient's magnitude, not its square"},
        {"of_the_mean", "squares the running mean, not the gradient"},
        {"no_root", "divides by the mean square, not by its root"},
        {"gradient_not_mean", "steps along the gradient, not along its running mean"}}},
      {"correction",
       "corrects both means for their start at 0",
       {{"none", "does not correct the means for their start at 0"},
        {"first_only", "corrects m but not v"},
        {"second_only", "corrects v but not m"},
        {"same_for_both", "corrects v with beta1 as well"}}},
      {"step",
       "counts steps from 1",
       {{"from_zero", "counts steps from 0, so that the first correction divides by 0"},
        {"one_ahead", "counts one step too many"}}},
      {"eps",
       "adds eps to the corrected root",
       {{"under_the_root", "adds eps under the root"},
        {"before_correction", "adds eps before the correction of v"},
        {"forgotten", "forgets eps"},
        InThePlaceOf("other", "eps", {.low = 1e-12, .high = 1})}},
      {"lr", "steps by lr", {InThePlaceOf("other", "lr", {.low = 1e-5, .high = 10})}},
      {"sign", "goes down", {{"ascends", "adds the step, and so climbs"}}},
  };
  e.checks = {
      ShapesCheck(),
      DeterministicCheck(),
      CleanCheck(),
      AgreementCheck(
          "values", "Agreement: the third step", "ordinary", {"shapes"},
          "is what the other inputs stand on, and the plainest measure of how far off it is"),
      AgreementCheck("first_step", "Agreement: the first step", "first_step", {"shapes", "values"}),
      AgreementCheck("small_gradients", "Agreement: gradients near eps", "small_gradients",
                     {"shapes", "values"}),
      AgreementCheck("late_step", "Agreement: step 20,000", "late_step", {"shapes", "values"}),
      AgreementCheck("no_gradients", "Agreement: no gradient at all", "no_gradients",
                     {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
