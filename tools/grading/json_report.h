// A report as JSON, for other programs. The schema is in tools/grading/README.md; a change that
// could break a reader raises its version.
#ifndef LEMMA_TOOLS_GRADING_JSON_REPORT_H_
#define LEMMA_TOOLS_GRADING_JSON_REPORT_H_

#include <string>

#include "tools/grading/report.h"

namespace lemma::tools::grading {

constexpr int kJsonVersion = 1;

std::string JsonReport(const Report& report);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_JSON_REPORT_H_
