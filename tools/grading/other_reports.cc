#include "tools/grading/other_reports.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "tools/grading/witness.h"

namespace lemma::tools::grading {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kAllPoints = 100;

std::string Details(const CheckResult& check) {
  std::vector<std::string> parts;
  if (!check.because.empty()) {
    parts.push_back(absl::StrCat("not judged because of ", absl::StrJoin(check.because, ", ")));
  }
  if (!check.measured.empty()) parts.push_back(check.measured);
  if (!check.where.empty()) parts.push_back(absl::StrCat("at ", check.where));
  if (!check.problem.empty()) parts.push_back(check.problem);
  return absl::StrJoin(parts, "; ");
}

const CheckResult* Find(const Report& report, const std::string& id) {
  for (const CheckResult& result : report.checks) {
    if (result.id == id) return &result;
  }
  return nullptr;
}

// Text of XML, without the control characters that it cannot hold.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (c == '\n' || !absl::ascii_iscntrl(c)) {
      escaped += static_cast<unsigned char>(c) < 128 ? c : '?';
    }
  }
  return escaped;
}

}  // namespace

std::string GradescopeReport(const Report& planned, const Report& report) {
  double sum = 0;
  for (const CheckResult& check : planned.checks) sum += check.weight;
  Json tests = Json::array();
  for (const CheckResult& check : planned.checks) {
    const double points = sum > 0 ? kAllPoints * check.weight / sum : 0;
    const CheckResult* result = Find(report, check.id);
    const bool passed = result != nullptr && result->verdict == Verdict::kPassed;
    tests.push_back({{"name", check.title},
                     {"score", passed ? points : 0},
                     {"max_score", points},
                     {"status", passed ? "passed" : "failed"},
                     {"output", result == nullptr ? "not reached" : Details(*result)}});
  }
  const Json json = {{"output", report.diagnosis.text}, {"tests", tests}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string JUnitReport(const Report& report) {
  std::string xml =
      absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
                   "<testsuite name=\"", Escaped(report.exercise), "\" tests=\"",
                   report.checks.size(), "\" failures=\"", report.CountOf(Verdict::kFailed),
                   "\" skipped=\"", report.CountOf(Verdict::kNotJudged), "\">\n");
  for (const CheckResult& check : report.checks) {
    absl::StrAppend(&xml, "<testcase classname=\"", Escaped(report.exercise), "\" name=\"",
                    Escaped(check.title), "\">");
    const std::string details = Escaped(Details(check));
    if (check.verdict == Verdict::kFailed) {
      absl::StrAppend(&xml, "<failure message=\"", details, "\">", Escaped(report.diagnosis.text),
                      "</failure>");
    }
    if (check.verdict == Verdict::kNotJudged) {
      absl::StrAppend(&xml, "<skipped message=\"", details, "\"/>");
    }
    xml += "</testcase>\n";
  }
  return xml + "</testsuite>\n</testsuites>\n";
}

std::string MarkdownReport(const Report& report) {
  std::string text =
      absl::StrCat("# ", report.exercise, ": ", report.passed() ? "passed" : "failed", ", ",
                   report.CountOf(Verdict::kPassed), " of ", report.checks.size(),
                   " checks\n\n| check | verdict | |\n| --- | --- | --- |\n");
  for (const CheckResult& check : report.checks) {
    std::string details = Details(check);
    std::replace(details.begin(), details.end(), '\n', ' ');
    std::replace(details.begin(), details.end(), '|', '/');
    absl::StrAppend(&text, "| ", check.title, " | ",
                    check.verdict == Verdict::kNotJudged ? "not judged" : Name(check.verdict),
                    " | ", details, " |\n");
  }
  if (!report.diagnosis.text.empty()) absl::StrAppend(&text, "\n", report.diagnosis.text, "\n");
  if (report.witness) absl::StrAppend(&text, "\n```\n", WitnessText(*report.witness), "```\n");
  return text;
}

}  // namespace lemma::tools::grading
