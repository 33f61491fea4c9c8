#include <cstdint>
#include <string>
#include <vector>

#include "tools/grading/checks.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

Probe MakeProbe(const std::string& name, const Shape& shape, uint64_t seed, double spread) {
  Draw draw(seed);
  return {.name = name,
          .inputs = Values()
                        .Add("p", Softmax(draw.Normal(shape, spread), -1))
                        .Add("dp", draw.Normal(shape) + 0.5),
          .sizes = {{"N", shape.back()}}};
}

std::vector<Probe> Probes(uint64_t seed) {
  return {MakeProbe("ordinary", {2, 3, 5}, seed, 1), MakeProbe("saturated", {4, 6}, seed + 1, 60),
          MakeProbe("one_row", {7}, seed + 2, 1), MakeProbe("one_class", {3, 1}, seed + 3, 1)};
}

std::vector<Probe> Witnesses() {
  std::vector<Probe> probes;
  for (const std::vector<float>& p : {std::vector<float>{1}, {0.5, 0.5}, {0.25, 0.75}}) {
    const int64_t n = static_cast<int64_t>(p.size());
    Draw draw(static_cast<uint64_t>(n) + 4);
    probes.push_back(
        {.name = "",
         .inputs = Values().Add("p", FromVector(p, {1, n})).Add("dp", draw.Whole({1, n}, 1, 4)),
         .sizes = {{"N", n}}});
  }
  return probes;
}

Values Reference(const Values& in, const Mistakes& m) {
  const Tensor p = in["p"], dp = in["dp"];
  const int64_t axis = m.Has("sum/rows") && p.rank() > 1 ? -2 : -1;
  Tensor common = Sum(p * dp, {axis}, true);
  if (m.Has("sum/missing")) common = ZerosLike(common);
  if (m.Has("sum/without_p")) common = Sum(dp, {-1}, true);
  if (m.Has("sum/mean")) common = Mean(p * dp, {-1}, true);
  if (m.Has("sum/of_all")) common = Sum(p * dp);
  if (m.Has("sum/added")) common = Neg(common);
  if (m.Has("form/elementwise")) return Values().Add("dx", p * (1.0 - p) * dp);
  if (m.Has("form/not_multiplied")) return Values().Add("dx", dp - common);
  if (m.Has("form/p_outside")) return Values().Add("dx", p * dp - common);
  if (m.Has("form/squared")) return Values().Add("dx", p * p * (dp - common));
  if (m.Has("form/of_log_softmax")) return Values().Add("dx", dp - p * Sum(dp, {-1}, true));
  if (m.Has("form/passed_on")) return Values().Add("dx", dp);
  const Tensor dx = p * (dp - common);
  return Values().Add("dx", m.Has("sign/minus") ? Neg(dx) : dx);
}

}  // namespace

Exercise SoftmaxBackwardExercise() {
  Exercise e;
  e.name = "softmax_backward";
  e.title = "The backward of softmax";
  e.source = "Step 4, 4.5";
  e.task = "Given p = softmax(x) and dp, compute dx by hand: (diag(p) - p p^T) dp for each row.";
  e.hints = {
      "The entries of p sum to 1. What must the entries of dx sum to?",
      "Step 4, 4.5: the Jacobian is diag(p) - p p^T. p p^T dp is p times one number a row.",
      "p * (dp - Sum(p * dp, {-1}, true)).",
  };
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"dx"};
  e.knobs = {
      {"sum",
       "subtracts the sum of p dp of each row",
       {{"missing", "leaves out - p p^T dp, so that classes do not compete"},
        {"rows", "sums over the rows, not over the classes"},
        {"without_p", "subtracts the sum of dp, without weighing it by p"},
        {"mean", "subtracts the mean of p dp, not the sum"},
        {"of_all", "subtracts one sum over all rows"},
        {"added", "adds the sum, not subtracts it"}}},
      {"form",
       "multiplies the difference with p",
       {{"elementwise",
         "takes p (1 - p) dp, the diagonal of the Jacobian only (the sigmoid's rule)"},
        {"not_multiplied", "does not multiply with p"},
        {"p_outside", "computes p dp - sum, with p at one of the two terms only"},
        {"squared", "multiplies with p twice"},
        {"of_log_softmax", "gives the backward of log softmax"},
        {"passed_on", "passes dp on"}}},
      {"sign", "has its sign", {{"minus", "has the sign wrong"}}},
  };
  e.checks = {
      ShapesCheck(),
      DeterministicCheck(),
      CleanCheck(),
      OrdinaryCheck(),
      AgreementCheck("saturated", "Agreement: one class has all", "saturated",
                     {"shapes", "values"}),
      AgreementCheck("one_row", "Agreement: p of rank 1", "one_row", {"shapes", "values"}),
      AgreementCheck("one_class", "Agreement: one class", "one_class", {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
