#include "tools/grading/checks.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/dtype.h"
#include "tools/grading/compare.h"

namespace lemma::tools::grading {
namespace {

// "out (3, 7, 4) float32"
std::string Describe(const std::string& name, const Tensor& x) {
  return absl::StrCat(name, " ", x.shape().ToString(), " ", Name(x.dtype()));
}

Finding CheckShapes(const Examination& examination) {
  const Probe& probe = examination.probes[0];
  const Answer answer = examination.Ask(probe.name);
  const Values expected = examination.exercise.reference(probe.inputs, {});
  Finding finding;
  for (const std::string& name : examination.exercise.outputs) {
    const std::string right = Describe(name, expected[name]);
    const Tensor* got = answer.outputs.Find(name);
    const std::string given =
        got == nullptr ? absl::StrCat(name, " missing") : Describe(name, *got);
    if (given != right) {
      return {.passed = false, .measured = given, .problem = absl::StrCat("it should be ", right)};
    }
    absl::StrAppend(&finding.measured, finding.measured.empty() ? "" : ", ", right);
  }
  return finding;
}

Finding CheckFinite(const Examination& examination) {
  const Answer answer = examination.Ask(examination.probes[0].name);
  int64_t count = 0;
  std::string where;
  for (const auto& [name, tensor] : answer.outputs) {
    const std::vector<double> values = Doubles(tensor);
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      if (count++ == 0) where = name + PlaceOf(static_cast<int64_t>(i), tensor.shape());
    }
  }
  return {.passed = count == 0,
          .measured = absl::StrCat(count, " elements are NaN or infinite"),
          .where = where};
}

// Of the outputs of two answers.
Finding SameBits(const Answer& a, const Answer& b, const std::string& what) {
  for (const auto& [name, first] : a.outputs) {
    const Tensor* second = b.outputs.Find(name);
    if (second == nullptr || second->shape() != first.shape() || second->dtype() != first.dtype()) {
      return {.passed = false, .measured = absl::StrCat(name, " changed its shape"), .where = what};
    }
    const BitDifference difference = CompareBits(first, *second);
    if (difference.count > 0) {
      return {.passed = false,
              .measured = absl::StrCat(difference.count, " elements differ"),
              .where = absl::StrCat(name, PlaceOf(difference.first, first.shape()), ", ", what)};
    }
  }
  return {.measured = "0 elements differ"};
}

Finding CheckDeterministic(const Examination& examination) {
  const std::string& probe = examination.probes[0].name;
  const Answer first = examination.Ask(probe);
  Finding finding = SameBits(first, examination.Ask(probe), "in a second call");
  if (!finding.passed) return finding;
  examination.examinee.Renew();
  return SameBits(first, examination.Ask(probe), "in another process");
}

Finding CheckClean(const Examination& examination) {
  const Probe& probe = examination.probes[0];
  const Answer answer = examination.Ask(probe.name);
  int64_t changed = 0;
  std::string where;
  for (const auto& [name, after] : answer.inputs_after) {
    const Tensor* before = probe.inputs.Find(name);
    if (before == nullptr || before->shape() != after.shape() || before->dtype() != after.dtype()) {
      return {.passed = false, .problem = absl::StrCat("it changed the shape of ", name)};
    }
    const BitDifference difference = CompareBits(*before, after);
    if (difference.count > 0 && where.empty()) {
      where = name + PlaceOf(difference.first, after.shape());
    }
    changed += difference.count;
  }
  std::string problem;
  if (changed > 0) problem = "it writes to its inputs, which belong to the caller";
  for (const auto& [count, what] : {std::pair(answer.threads_left, " threads"),
                                    std::pair(answer.processes_left, " processes")}) {
    if (count == 0) continue;
    absl::StrAppend(&problem, problem.empty() ? "" : "; ", "it leaves ", count, what, " running");
  }
  return {.passed = problem.empty(),
          .measured = absl::StrCat(changed, " input elements changed"),
          .where = where,
          .problem = problem};
}

}  // namespace

Check OrdinaryCheck() {
  return AgreementCheck(
      "values", "Agreement: ordinary inputs", "ordinary", {"shapes"},
      "is what the other inputs stand on, and the plainest measure of how far off it is");
}

std::string AtMost(const std::string& quantity, double value, double bound) {
  return absl::StrCat(quantity, " ", Short(value), " (at most ", Short(bound), ")");
}

Check ShapesCheck() {
  return {.id = "shapes", .title = "Contract: shapes and dtype", .run = CheckShapes};
}

Check FiniteCheck() {
  return {.id = "finite",
          .title = "Contract: finite numbers",
          .needs = {"shapes"},
          .run = CheckFinite,
          .redundant = "says that a NaN is one before a distance to it is measured"};
}

Check DeterministicCheck() {
  return {.id = "deterministic",
          .title = "Contract: the same bits each time",
          .needs = {"shapes"},
          .run = CheckDeterministic};
}

Check CleanCheck() {
  return {.id = "clean",
          .title = "Contract: inputs untouched, nothing left running",
          .needs = {"shapes"},
          .run = CheckClean};
}

Check AgreementCheck(const std::string& id, const std::string& title, const std::string& probe_name,
                     const std::vector<std::string>& needs, const std::string& redundant) {
  const auto run = [probe_name](const Examination& examination) -> Finding {
    const Probe& probe = examination.probe(probe_name);
    const Answer answer = examination.Ask(probe_name);
    const Distance distance =
        Compare(answer.outputs, examination.Expected(probe), examination.exercise.outputs);
    return {.passed = distance.relative <= probe.tolerance,
            .measured = AtMost("distance", distance.relative, probe.tolerance),
            .where = distance.where};
  };
  return {.id = id, .title = title, .needs = needs, .run = run, .redundant = redundant};
}

}  // namespace lemma::tools::grading
