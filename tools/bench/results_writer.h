// RESULTS.md: what the benchmark found, for readers of the repository.
#ifndef LEMMA_TOOLS_BENCH_RESULTS_WRITER_H_
#define LEMMA_TOOLS_BENCH_RESULTS_WRITER_H_

#include <string>
#include <vector>

#include "tools/bench/report.h"

namespace lemma::tools::bench {

// The best peer of a workload: the one of the smallest time; null without any.
const PeerResult* BestPeer(const WorkloadResult& result);

// The whole file: how it was made, and for each report its machine, a short table against the best
// peer, the whole table, missing peers and notes.
std::string ResultsMarkdown(const std::vector<Report>& reports);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_RESULTS_WRITER_H_
