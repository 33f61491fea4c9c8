#include "tools/grading/class_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tools/grading/knobs.h"

namespace lemma::tools::grading {
namespace {

constexpr size_t kLongestBar = 40;

// The first explanation; else the first check that failed.
std::string MistakeOf(const Submission& submission) {
  if (!submission.problem.empty()) return "not gradable";
  const Report& report = submission.report;
  if (report.passed()) return "";
  if (!report.diagnosis.explanations.empty()) {
    const Explanation& first = report.diagnosis.explanations[0];
    return first.mistakes.number() ? "another number" : absl::StrJoin(first.mistakes.ids(), " + ");
  }
  for (const CheckResult& check : report.checks) {
    if (check.verdict != Verdict::kFailed) continue;
    return check.ending ? absl::StrCat(Name(*check.ending), " in ", check.id)
                        : absl::StrCat("not known, fails ", check.id);
  }
  return "not known";
}

std::string Quoted(const std::string& text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// A line of explanation for mistakes that have one.
std::string What(const Exercise& exercise, const std::string& id) {
  const Setting* setting = FindSetting(exercise.knobs, id);
  return setting == nullptr ? "" : WithSizes(setting->what, exercise.probes(1)[0]);
}

}  // namespace

std::string ClassCsv(const std::vector<Submission>& submissions) {
  std::string csv = "name,score,passed,checks,mistake,problem\n";
  for (const Submission& submission : submissions) {
    const Report& report = submission.report;
    absl::StrAppend(&csv, Quoted(submission.name), ",", absl::StrFormat("%.3f", report.Score()),
                    ",", report.CountOf(Verdict::kPassed), ",", report.checks.size(), ",",
                    Quoted(MistakeOf(submission)), ",", Quoted(submission.problem), "\n");
  }
  return csv;
}

std::string ClassSummary(const Exercise& exercise, const std::vector<Submission>& submissions) {
  std::map<std::string, size_t> counts;
  size_t passed = 0;
  for (const Submission& submission : submissions) {
    const std::string mistake = MistakeOf(submission);
    mistake.empty() ? ++passed : ++counts[mistake];
  }
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text =
      absl::StrCat(exercise.name, ": ", passed, " of ", submissions.size(), " passed\n");
  const size_t most = sorted.empty() ? 1 : sorted[0].second;
  for (const auto& [mistake, count] : sorted) {
    const size_t length = std::max<size_t>(1, kLongestBar * count / most);
    absl::StrAppend(&text,
                    absl::StrFormat("%4d  %-40s  %s\n", count, std::string(length, '#'), mistake));
    const std::string what = What(exercise, mistake);
    if (!what.empty()) absl::StrAppend(&text, absl::StrFormat("%48s%s\n", "", what));
  }
  return text;
}

}  // namespace lemma::tools::grading
