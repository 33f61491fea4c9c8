#include "tools/grading/model/judge_model.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/grading/model/gradient_check.h"
#include "tools/grading/model/logit_checks.h"
#include "tools/grading/model/loss_checks.h"

namespace lemma::tools::grading {
namespace {

Finding CheckParameters(const ModelSubject& subject) {
  Finding finding = CompareParameters(subject.given, subject.right);
  for (const std::string& difference : subject.other_differences) {
    finding.passed = false;
    absl::StrAppend(&finding.problem, finding.problem.empty() ? "" : ";\n", difference);
  }
  return finding;
}

std::vector<ModelCheck> MakeChecks() {
  return {
      {"count", "Parameters: names, shapes and count", {}, {}},
      {"finite", "Parameters and logits are finite", {}, CheckFinite},
      {"deterministic", "The same tokens give the same logits", {"finite"}, CheckDeterministic},
      {"causality",
       "Causality: later tokens change no logit before them",
       {"finite", "deterministic"},
       CheckCausality},
      {"cache",
       "The cache of keys and values changes nothing",
       {"finite", "deterministic", "causality"},
       CheckCache},
      {"gradient", "The gradient is that of the loss", {"finite", "deterministic"}, CheckGradient},
      {"initial_loss", "Initial loss: near ln V", {"finite"}, CheckInitialLoss},
      {"random_tokens",
       "Leak detector: random tokens cannot be predicted",
       {"finite"},
       CheckRandomTokens},
      {"overfit",
       "Learning: one batch is memorised",
       {"finite", "deterministic", "gradient", "random_tokens"},
       CheckOverfit},
  };
}

void Judge(const ModelCheck& check, const ModelSubject& subject, const ModelJudgeOptions& options,
           CheckResult& result) {
  const auto status = [&](const std::string& what) {
    if (options.status) options.status(absl::StrCat(check.id, what.empty() ? "" : ", ", what));
  };
  Finding finding;
  try {
    status("");
    finding = check.id == "count" ? CheckParameters(subject)
                                  : check.run({subject, *subject.model, options.seed, status});
  } catch (const Error& error) {
    if (IsLackOfMemory(error)) throw;
    finding = {.passed = false, .problem = absl::StrCat("it threw: ", error.what())};
  }
  result.verdict = finding.passed ? Verdict::kPassed : Verdict::kFailed;
  result.measured = std::move(finding.measured);
  if (finding.passed) return;
  result.where = std::move(finding.where);
  result.problem = std::move(finding.problem);
}

}  // namespace

const std::vector<ModelCheck>& ModelChecks() {
  static const auto* checks = new std::vector<ModelCheck>(MakeChecks());
  return *checks;
}

bool IsLackOfMemory(const Error& error) { return absl::StrContains(error.what(), "[allocate]"); }

Report PlannedReport(const ModelSubject& subject, const ModelJudgeOptions& options) {
  Report report = {.exercise = subject.name};
  for (const ModelCheck& check : ModelChecks()) {
    if (!options.only.empty() && options.only.count(check.id) == 0) continue;
    const auto weight = options.weights.find(check.id);
    report.checks.push_back({.id = check.id,
                             .title = check.title,
                             .verdict = Verdict::kNotJudged,
                             .weight = weight == options.weights.end() ? 1 : weight->second});
  }
  return report;
}

Report JudgeModel(const ModelSubject& subject, const ModelJudgeOptions& options) {
  Report report = {.exercise = subject.name};
  std::set<std::string> unusable;  // failed or not judged
  Report planned = PlannedReport(subject, options);
  for (CheckResult& result : planned.checks) {
    const ModelCheck& check =
        *std::find_if(ModelChecks().begin(), ModelChecks().end(),
                      [&](const ModelCheck& known) { return known.id == result.id; });
    if (check.id != "count" && subject.model == nullptr) {
      result.because = {"count"};
    } else {
      for (const std::string& need : check.needs) {
        if (!options.all_checks && unusable.count(need) != 0) result.because.push_back(need);
      }
      if (result.because.empty()) Judge(check, subject, options, result);
    }
    if (result.verdict != Verdict::kPassed) unusable.insert(check.id);
    report.checks.push_back(std::move(result));
    if (options.progress) options.progress(report);
  }
  return report;
}

}  // namespace lemma::tools::grading
