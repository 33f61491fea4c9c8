// A report as text for a terminal.
#ifndef LEMMA_TOOLS_GRADING_TERMINAL_REPORT_H_
#define LEMMA_TOOLS_GRADING_TERMINAL_REPORT_H_

#include <string>

#include "tools/grading/report.h"

namespace lemma::tools::grading {

// `colour` where the text goes to a terminal.
std::string TerminalReport(const Report& report, bool colour);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_TERMINAL_REPORT_H_
