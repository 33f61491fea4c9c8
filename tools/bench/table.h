// The results of a benchmark as a table, for a terminal or in Markdown.
#ifndef LEMMA_TOOLS_BENCH_TABLE_H_
#define LEMMA_TOOLS_BENCH_TABLE_H_

#include <string>
#include <vector>

#include "tools/bench/report.h"

namespace lemma::tools::bench {

// "412 ns", "1.80 us", "6.21 ms", "5,183 ms": three digits or more.
std::string FormatMilliseconds(double ms);

// The machine and its limits in two lines.
std::string FormatMachine(const Machine& machine);

// Rows of cells in columns, the first two to the left and the others to the right; every row has as
// many cells as the first, which is the heading.
std::string FormatColumns(const std::vector<std::vector<std::string>>& rows);
std::string FormatMarkdown(const std::vector<std::vector<std::string>>& rows);

// The heading, then a row for each workload and below it one for each peer.
std::vector<std::vector<std::string>> ResultRows(const std::vector<WorkloadResult>& results);

// The same of kernels, a row each.
std::vector<std::vector<std::string>> KernelRows(const std::vector<KernelResult>& kernels);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_TABLE_H_
