#include "tools/grading/judge.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/error.h"

namespace lemma::tools::grading {
namespace {

CheckResult RunCheck(const Check& check, const Examination& examination) {
  CheckResult result = {.id = check.id, .title = check.title};
  try {
    examination.examinee.RenewBetweenChecks();
    Finding finding = check.run(examination);
    result.verdict = finding.passed ? Verdict::kPassed : Verdict::kFailed;
    result.measured = std::move(finding.measured);
    if (!finding.passed) {
      result.where = std::move(finding.where);
      result.problem = std::move(finding.problem);
    }
  } catch (const NoAnswer& none) {
    result.verdict = Verdict::kFailed;
    result.ending = none.answer.ending;
    result.problem = none.answer.text;
  } catch (const Error& error) {
    result.verdict = Verdict::kFailed;
    result.problem = absl::StrCat("its outputs cannot be judged: ", error.what());
  }
  return result;
}

}  // namespace

Report PlannedReport(const Exercise& exercise, const JudgeOptions& options) {
  Report report = {.exercise = exercise.name};
  for (const Check& check : exercise.checks) {
    if (options.left_out.count(check.id) != 0) continue;
    const auto own = options.weights.find(check.id);
    report.checks.push_back({.id = check.id,
                             .title = check.title,
                             .verdict = Verdict::kNotJudged,
                             .weight = own == options.weights.end() ? check.weight : own->second});
  }
  return report;
}

Report Judge(const Exercise& exercise, Examinee& examinee, const JudgeOptions& options) {
  Report report = {.exercise = exercise.name};
  const std::vector<Probe> probes = exercise.probes(options.seed);
  const Examination examination = {exercise, probes, examinee};
  std::set<std::string> unusable;  // failed or not judged
  for (const Check& check : exercise.checks) {
    if (options.left_out.count(check.id) != 0) continue;
    CheckResult result = {.id = check.id, .title = check.title, .verdict = Verdict::kNotJudged};
    for (const std::string& need : check.needs) {
      if (unusable.count(need) != 0) result.because.push_back(need);
    }
    if (result.because.empty() || options.all_checks) result = RunCheck(check, examination);
    const auto weight = options.weights.find(check.id);
    result.weight = weight == options.weights.end() ? check.weight : weight->second;
    if (result.verdict != Verdict::kPassed) unusable.insert(check.id);
    report.checks.push_back(std::move(result));
    report.printed = examinee.Printed();
    if (options.progress) options.progress(report);
  }
  if (report.passed()) return report;

  std::vector<Answer> answers;
  for (const Probe& probe : probes) {
    examinee.RenewBetweenChecks();
    answers.push_back(examinee.Ask(probe));
    // Code that fails to answer does so again: no need to wait for each time-out.
    const bool slow = answers.back().ending == Ending::kTimedOut ||
                      answers.back().ending == Ending::kProcessorTime;
    if (slow) answers.resize(probes.size(), answers.back());
    if (slow) break;
  }
  report.diagnosis = Diagnose(exercise, probes, answers);
  if (options.witness && !report.diagnosis.right && answers[0].ok()) {
    report.witness = FindWitness(exercise, examinee);
  }
  return report;
}

}  // namespace lemma::tools::grading
