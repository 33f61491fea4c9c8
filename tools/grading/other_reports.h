// Reports for other programs: Gradescope, JUnit's readers, and Markdown.
#ifndef LEMMA_TOOLS_GRADING_OTHER_REPORTS_H_
#define LEMMA_TOOLS_GRADING_OTHER_REPORTS_H_

#include <string>

#include "tools/grading/report.h"

namespace lemma::tools::grading {

// A results.json: a test for each check that is planned, those that have not run yet with 0 points.
// All that can be scored adds up to 100.
std::string GradescopeReport(const Report& planned, const Report& report);

// A test suite of one case for each check. What was not judged is skipped.
std::string JUnitReport(const Report& report);

std::string MarkdownReport(const Report& report);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_OTHER_REPORTS_H_
