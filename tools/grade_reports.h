// Where the reports of grade go: the terminal, and what --json, --gradescope, --junit and
// --markdown name. Each function ends the program through Die where a file cannot be written.
#ifndef LEMMA_TOOLS_GRADE_REPORTS_H_
#define LEMMA_TOOLS_GRADE_REPORTS_H_

#include "tools/flags.h"
#include "tools/grading/report.h"

namespace lemma::tools::grading {

FlagGroup ReportFlagGroup();

// What a time limit from outside leaves is the part that was judged: Gradescope's file, in which
// the checks of `planned` that `so_far` lacks have 0 points.
void WritePartialReport(const Report& planned, const Report& so_far);

// Every kind. The terminal gets its own, unless JSON goes there.
void WriteReports(const Report& planned, const Report& report);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADE_REPORTS_H_
