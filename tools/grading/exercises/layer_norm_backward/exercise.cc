#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/grading/checks.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

Probe MakeProbe(const std::string& name, int64_t n, int64_t c, uint64_t seed, double spread) {
  Draw draw(seed);
  return {.name = name,
          .inputs = Values()
                        .Add("x", draw.Normal({n, c}, spread) + 0.4)
                        .Add("weight", Abs(draw.Normal({c})) + 0.5)
                        .Add("dy", draw.Normal({n, c}) + 0.3)
                        .Add("eps", 1e-5),
          .sizes = {{"N", n}, {"C", c}}};
}

std::vector<Probe> Probes(uint64_t seed) {
  return {MakeProbe("ordinary", 4, 6, seed, 2), MakeProbe("small_variance", 3, 8, seed + 1, 3e-3),
          MakeProbe("one_row", 1, 7, seed + 2, 1)};
}

std::vector<Probe> Witnesses() {
  std::vector<Probe> probes;
  for (const int64_t c : {2, 3}) {
    Draw draw(static_cast<uint64_t>(c));
    probes.push_back({.name = "",
                      .inputs = Values()
                                    .Add("x", draw.Whole({1, c}, -3, 3))
                                    .Add("weight", draw.Whole({c}, 1, 2))
                                    .Add("dy", draw.Whole({1, c}, -2, 2))
                                    .Add("eps", 1e-5),
                      .sizes = {{"N", 1}, {"C", c}}});
  }
  return probes;
}

Values Reference(const Values& in, const Mistakes& m) {
  const Tensor x = in["x"], dy = in["dy"];
  const double c = static_cast<double>(x.size(1));
  const Tensor centred = x - Mean(x, {1}, true);
  const Tensor variance = Mean(centred * centred, {1}, true);
  const double eps = m.Has("eps/forgotten") ? 0 : m.Number("eps/other").value_or(in.Number("eps"));
  Tensor inverse = 1.0 / Sqrt(variance + eps);
  if (m.Has("variance/unbiased")) inverse = 1.0 / Sqrt(variance * (c / (c - 1)) + eps);
  const Tensor xhat = centred * inverse;
  const Tensor dxhat = m.Has("weight/forgotten") ? dy : dy * in["weight"];
  Tensor dx = dxhat;
  if (!m.Has("mean/forgotten")) dx = dx - Mean(dxhat, {1}, true);
  Tensor along = xhat * Mean(dxhat * xhat, {1}, true);
  if (m.Has("along/without_xhat")) along = Mean(dxhat * xhat, {1}, true);
  if (m.Has("along/of_centred")) along = centred * Mean(dxhat * centred, {1}, true);
  if (m.Has("along/sum")) along = along * c;
  if (!m.Has("along/forgotten")) dx = m.Has("along/added") ? dx + along : dx - along;
  if (m.Has("scale/forgotten")) {
  } else if (m.Has("scale/root_only")) {
    dx = dx / inverse;
  } else if (m.Has("scale/variance")) {
    dx = dx * inverse * inverse;
  } else {
    dx = dx * inverse;
  }
  Tensor dweight = Sum(dy * xhat, {0}), dbias = Sum(dy, {0});
  if (m.Has("parameters/mean")) dweight = Mean(dy * xhat, {0}), dbias = Mean(dy, {0});
  if (m.Has("parameters/first_row")) dweight = Select(dy * xhat, 0, 0), dbias = Select(dy, 0, 0);
  if (m.Has("dweight/of_x")) dweight = Sum(dy * x, {0});
  if (m.Has("dweight/of_y")) dweight = Sum(dy * xhat * in["weight"], {0});
  if (m.Has("dweight/without_xhat")) dweight = Sum(dy, {0});
  if (m.Has("dbias/weighted")) dbias = Sum(dy * in["weight"], {0});
  return Values().Add("dx", dx).Add("dweight", dweight).Add("dbias", dbias);
}

}  // namespace

Exercise LayerNormBackwardExercise() {
  Exercise e;
  e.name = "layer_norm_backward";
  e.title = "The backward of layer normalisation";
  e.source = "Step 5, 4.2; Ba, Kiros, Hinton, arXiv:1607.06450";
  e.task = "Given dy, compute the gradients of layer normalisation by hand.";
  e.hints = {
      "The output does not change when a row is shifted, or stretched. What is dx along these two "
      "directions?",
      "With dxhat = dy weight: dx is dxhat without its mean and without its part along xhat, "
      "divided "
      "by the root.",
      "(dxhat - Mean(dxhat, {1}, true) - xhat * Mean(dxhat * xhat, {1}, true)) / Sqrt(variance + "
      "eps); "
      "dweight = Sum(dy * xhat, {0}); dbias = Sum(dy, {0}).",
  };
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"dx", "dweight", "dbias"};
  e.knobs = {
      {"mean",
       "takes away the mean of dxhat",
       {{"forgotten", "forgets that the mean depends on x"}}},
      {"along",
       "takes away the part along xhat",
       {{"forgotten", "forgets that the variance depends on x"},
        {"without_xhat", "subtracts the mean of dxhat xhat without multiplying it with xhat"},
        {"of_centred", "uses x - mean in the place of xhat"},
        {"sum", "takes the sum of dxhat xhat, not its mean"},
        {"added", "adds the part along xhat, not takes it away"}}},
      {"scale",
       "divides by the root",
       {{"forgotten", "forgets to divide by the root of the variance"},
        {"root_only", "multiplies with the root, not divides by it"},
        {"variance", "divides by the variance, not by its root"}}},
      {"weight", "multiplies dy with the weight", {{"forgotten", "forgets the weight in dx"}}},
      {"eps",
       "adds eps",
       {{"forgotten", "forgets eps"},
        {.id = "other",
         .what = "uses {number} in the place of eps",
         .fitted = Range{.low = 1e-12, .high = 1}}}},
      {"variance", "takes the biased variance", {{"unbiased", "divides the squares by C - 1"}}},
      {"parameters",
       "sums over rows",
       {{"mean", "averages dweight and dbias over the rows, not sums them"},
        {"first_row", "takes dweight and dbias of the first row only"}}},
      {"dweight",
       "sums dy xhat",
       {{"of_x", "multiplies dy with x, not with xhat, in dweight"},
        {"of_y", "multiplies dy with the scaled xhat in dweight"},
        {"without_xhat", "forgets xhat in dweight"}}},
      {"dbias", "sums dy", {{"weighted", "multiplies dy with the weight in dbias"}}},
  };
  e.checks = {
      ShapesCheck(),
      DeterministicCheck(),
      CleanCheck(),
      OrdinaryCheck(),
      AgreementCheck("small_variance", "Agreement: variance near eps", "small_variance",
                     {"shapes", "values"}),
      AgreementCheck("one_row", "Agreement: one row", "one_row", {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
