#include "tools/grade_reports.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/flags/flag.h"
#include "tools/grade_settings.h"
#include "tools/grading/json_report.h"
#include "tools/grading/other_reports.h"
#include "tools/grading/terminal_report.h"

ABSL_FLAG(std::string, json, "", "write the report as JSON to this file (- for stdout)");
ABSL_FLAG(std::string, gradescope, "", "write a results.json of Gradescope, anew after each check");
ABSL_FLAG(std::string, junit, "",
          "write JUnit XML to this file; Bazel's XML_OUTPUT_FILE where set");
ABSL_FLAG(std::string, markdown, "", "write the report as Markdown to this file");

namespace lemma::tools::grading {
namespace {

std::string JUnitFile() {
  const std::string given = absl::GetFlag(FLAGS_junit);
  const char* bazels = std::getenv("XML_OUTPUT_FILE");
  return given.empty() && bazels != nullptr ? bazels : given;
}

}  // namespace

FlagGroup ReportFlagGroup() { return {"Reports", {"json", "gradescope", "junit", "markdown"}}; }

void WritePartialReport(const Report& planned, const Report& so_far) {
  WriteOrDie(absl::GetFlag(FLAGS_gradescope), GradescopeReport(planned, so_far));
}

void WriteReports(const Report& planned, const Report& report) {
  const std::string json = absl::GetFlag(FLAGS_json);
  if (json != "-") std::fputs(TerminalReportForStdout(report).c_str(), stdout);
  WriteOrDie(json, JsonReport(report));
  WritePartialReport(planned, report);
  WriteOrDie(JUnitFile(), JUnitReport(report));
  WriteOrDie(absl::GetFlag(FLAGS_markdown), MarkdownReport(report));
}

}  // namespace lemma::tools::grading
