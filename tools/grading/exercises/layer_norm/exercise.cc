#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/grading/checks.h"
#include "tools/grading/compare.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

// Rows of this spread around `mean`.
Probe MakeProbe(const std::string& name, const Shape& shape, uint64_t seed, double spread,
                double mean = 0.7) {
  Draw draw(seed);
  const int64_t width = shape.back();
  Probe probe = {.name = name, .sizes = {{"C", width}, {"C1", width - 1}}};
  probe.inputs.Add("x", draw.Normal(shape, spread) + mean)
      .Add("weight", Abs(draw.Normal({width})) + 0.5)
      .Add("bias", draw.Normal({width}))
      .Add("eps", 1e-5);
  return probe;
}

std::vector<Probe> Probes(uint64_t seed) {
  std::vector<Probe> probes = {MakeProbe("ordinary", {3, 5, 8}, seed, 2)};
  probes.push_back(MakeProbe("small_variance", {4, 7}, seed + 1, 2e-3, 0));
  probes.push_back(MakeProbe("constant_rows", {2, 6}, seed + 2, 0));
  probes.push_back(MakeProbe("far_from_zero", {6, 9}, seed + 3, 1, 3000));
  probes.back().tolerance = 2e-3;
  probes.push_back(MakeProbe("one_row", {11}, seed + 4, 3));
  return probes;
}

std::vector<Probe> Witnesses() {
  std::vector<Probe> probes;
  for (const int64_t width : {1, 2, 3}) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      Draw draw(seed);
      Probe probe = {.name = "", .sizes = {{"C", width}, {"C1", width - 1}}};
      probe.inputs.Add("x", draw.Whole({1, width}, -3, 3))
          .Add("weight", draw.Whole({width}, 1, 2))
          .Add("bias", draw.Whole({width}, -1, 1))
          .Add("eps", 1e-5);
      probes.push_back(probe);
    }
  }
  return probes;
}

Tensor Normalised(const Tensor& x, double eps, const Mistakes& m) {
  const int64_t dim = m.Has("axis/rows") && x.rank() > 1 ? x.rank() - 2 : -1;
  std::vector<int64_t> dims = {dim};
  if (m.Has("axis/all")) dims.clear();
  const Tensor mean = Mean(x, dims, true);
  const double n =
      static_cast<double>(m.Has("axis/all") ? x.numel() : x.size(static_cast<int>(dim)));
  const Tensor centred = m.Has("mean/kept") ? x : x - mean;
  Tensor variance = Mean((x - mean) * (x - mean), dims, true);
  if (m.Has("variance/unbiased")) variance = variance * (n / (n - 1));
  if (m.Has("variance/of_the_raw")) variance = Mean(x * x, dims, true);
  if (m.Has("variance/sum")) variance = variance * n;
  if (m.Has("eps/outside")) return centred / (Sqrt(variance) + eps);
  if (m.Has("eps/forgotten")) return centred / Sqrt(variance);
  if (m.Has("eps/smaller")) return centred / Sqrt(variance + 1e-6);
  if (m.Has("eps/larger")) return centred / Sqrt(variance + 1e-3);
  if (const auto number = m.Number("eps/other")) return centred / Sqrt(variance + *number);
  if (m.Has("root/forgotten")) return centred / (variance + eps);
  if (m.Has("root/multiplied")) return centred * Sqrt(variance + eps);
  return centred / Sqrt(variance + eps);
}

Values Reference(const Values& in, const Mistakes& m) {
  const Tensor y = Normalised(in["x"], in.Number("eps"), m);
  if (m.Has("affine/none")) return Values().Add("y", y);
  if (m.Has("affine/no_weight")) return Values().Add("y", y + in["bias"]);
  if (m.Has("affine/no_bias")) return Values().Add("y", y * in["weight"]);
  if (m.Has("affine/bias_first")) return Values().Add("y", (y + in["bias"]) * in["weight"]);
  if (m.Has("affine/swapped")) return Values().Add("y", y * in["bias"] + in["weight"]);
  return Values().Add("y", y * in["weight"] + in["bias"]);
}

// Step 5, 4.2, of (y - bias) / weight.
Finding CheckSphere(const Examination& examination) {
  const Values in = InDouble(examination.probe("ordinary").inputs);
  const Tensor y = examination.Ask("ordinary").outputs["y"];
  if (y.shape() != in["x"].shape()) return {.passed = false, .problem = "its shape is another"};
  const std::vector<double> out = Doubles(y), weight = Doubles(in["weight"]),
                            bias = Doubles(in["bias"]);
  const size_t width = weight.size();
  double sum_off = 0, norm_off = 0;
  for (size_t row = 0; row < out.size() / width; ++row) {
    double sum = 0, square = 0;
    for (size_t c = 0; c < width; ++c) {
      const double v = (out[row * width + c] - bias[c]) / weight[c];
      sum += v, square += v * v;
    }
    sum_off = std::fmax(sum_off, std::abs(sum));
    norm_off = std::fmax(norm_off, std::abs(std::sqrt(square / static_cast<double>(width)) - 1));
    if (!std::isfinite(square)) sum_off = INFINITY;
  }
  return {.passed = sum_off <= 1e-3 && norm_off <= 1e-3,
          .measured = AtMost("largest |sum of a row|", sum_off, 1e-3) + ", " +
                      AtMost("largest |norm / sqrt(C) - 1|", norm_off, 1e-3)};
}

}  // namespace

Exercise LayerNormExercise() {
  Exercise e;
  e.name = "layer_norm";
  e.title = "Layer normalisation";
  e.source = "Step 5, 4.2 and its caveat";
  e.task = "Normalise each row to mean 0 and variance 1, then scale and shift it.";
  e.hints = {
      "Which dimension is averaged over, and what is added before the root so that a constant row "
      "gives no 0 / 0?",
      "Step 5, LayerNorm geometry: the variance is the biased one, and eps stands under the root.",
      "mean = Mean(x, {-1}, true); centred = x - mean; variance = Mean(centred * centred, {-1}, "
      "true); "
      "centred / Sqrt(variance + eps) * weight + bias.",
  };
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"y"};
  e.knobs = {
      {"axis",
       "normalises each row",
       {{"rows", "averages over the positions, not over the width"},
        {"all", "takes mean and variance of all elements together"}}},
      {"mean", "subtracts the mean", {{"kept", "does not subtract the mean from what it divides"}}},
      {"variance",
       "takes the biased variance",
       {{"unbiased", "divides the squares by C - 1 = {C1}, not by C = {C} (Var's default)"},
        {"of_the_raw", "takes the mean of x^2 for the variance (RMSNorm's)"},
        {"sum", "does not divide the sum of squares by C = {C}"}}},
      {"eps",
       "adds eps to the variance",
       {{"outside", "adds eps to the root, not under it"},
        {"forgotten", "forgets eps, so that constant rows give 0 / 0"},
        {"smaller", "uses 1e-6 in the place of eps"},
        {"larger", "uses 1e-3 in the place of eps"},
        {.id = "other",
         .what = "uses {number} in the place of eps",
         .fitted = Range{.low = 1e-12, .high = 1}}}},
      {"root",
       "divides by the root",
       {{"forgotten", "divides by the variance, not by its root"},
        {"multiplied", "multiplies with the root, not divides by it"}}},
      {"affine",
       "multiplies with weight, then adds bias",
       {{"none", "leaves out weight and bias"},
        {"no_weight", "leaves out the weight"},
        {"no_bias", "leaves out the bias"},
        {"bias_first", "adds the bias before it multiplies with the weight"},
        {"swapped", "has weight and bias swapped"}}},
  };
  e.checks = {
      ShapesCheck(),
      FiniteCheck(),
      DeterministicCheck(),
      CleanCheck(),
      {.id = "sphere",
       .title = "Step 5, 4.2: rows of mean 0 and norm sqrt(C), before weight and bias",
       .needs = {"shapes"},
       .run = CheckSphere,
       .redundant = "names the statement that is broken, where agreement gives a distance"},
      OrdinaryCheck(),
      AgreementCheck("small_variance", "Agreement: variance near eps", "small_variance",
                     {"shapes", "values"}),
      AgreementCheck("constant_rows", "Agreement: rows of one value", "constant_rows",
                     {"shapes", "values"}),
      AgreementCheck("far_from_zero", "Agreement: mean 3,000, variance 1", "far_from_zero",
                     {"shapes", "values"}),
      AgreementCheck("one_row", "Agreement: x of rank 1", "one_row", {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
