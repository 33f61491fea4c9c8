#include "tools/grading/report.h"

#include <algorithm>

namespace lemma::tools::grading {

const char* Name(Detail detail) {
  constexpr const char* kNames[] = {"verdict", "where", "why", "diff"};
  return kNames[static_cast<int>(detail)];
}

std::optional<Detail> DetailFromName(const std::string& name) {
  for (const Detail detail : {Detail::kVerdict, Detail::kWhere, Detail::kWhy, Detail::kDiff}) {
    if (name == Name(detail)) return detail;
  }
  return std::nullopt;
}

const char* Name(Verdict verdict) {
  constexpr const char* kNames[] = {"passed", "failed", "not_judged"};
  return kNames[static_cast<int>(verdict)];
}

size_t Report::CountOf(Verdict verdict) const {
  return static_cast<size_t>(
      std::count_if(checks.begin(), checks.end(),
                    [&](const CheckResult& check) { return check.verdict == verdict; }));
}

bool Report::passed() const {
  return !checks.empty() && CountOf(Verdict::kPassed) == checks.size();
}

double Report::Score() const {
  double all = 0, passed = 0;
  for (const CheckResult& check : checks) {
    all += check.weight;
    if (check.verdict == Verdict::kPassed) passed += check.weight;
  }
  return all > 0 ? passed / all : 0;
}

Report Capped(Report report, Detail detail) {
  if (detail < Detail::kDiff) report.witness.reset();
  if (detail < Detail::kWhy) report.diagnosis = {};
  if (detail < Detail::kWhere) {
    for (CheckResult& check : report.checks) {
      check.measured.clear();
      check.where.clear();
      if (!check.ending) check.problem.clear();
    }
  }
  return report;
}

}  // namespace lemma::tools::grading
