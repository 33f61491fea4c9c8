// What a benchmark ran on.
#ifndef LEMMA_TOOLS_BENCH_MACHINE_H_
#define LEMMA_TOOLS_BENCH_MACHINE_H_

#include <string>
#include <utility>
#include <vector>

namespace lemma::tools::bench {

// The processor's name as the system has it; "unknown" where it does not tell.
std::string ProcessorName();

// Processors that this process may use.
int AvailableProcessors();

// ("oneDNN", "2.6.3"), ("compiler", ...), ("kernel", ...): what else results depend on.
std::vector<std::pair<std::string, std::string>> Versions();

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_MACHINE_H_
