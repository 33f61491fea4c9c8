// A report as text for a terminal.
#ifndef LEMMA_TOOLS_GRADING_TERMINAL_REPORT_H_
#define LEMMA_TOOLS_GRADING_TERMINAL_REPORT_H_

#include <cstddef>
#include <string>

#include "tools/grading/report.h"

namespace lemma::tools::grading {

// Sentences are broken into lines of at most `columns`.
std::string TerminalReport(const Report& report, bool colour, size_t columns = 96);

// Whether the user wants colour there: on a terminal, without NO_COLOR and TERM=dumb.
bool WantsColour(bool is_terminal);

// As standard output shows it, and no wider than its terminal.
std::string TerminalReportForStdout(const Report& report);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_TERMINAL_REPORT_H_
