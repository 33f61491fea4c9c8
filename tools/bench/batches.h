// The batches that training workloads run on.
#ifndef LEMMA_TOOLS_BENCH_BATCHES_H_
#define LEMMA_TOOLS_BENCH_BATCHES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "datasets/batches.h"
#include "tools/bench/workload.h"

namespace lemma::tools::bench {

struct BenchText {
  std::string name = {};             // "tinyshakespeare" or "plays"
  std::vector<int64_t> tokens = {};  // characters as the course numbers them
};

// Tiny Shakespeare if it is in the data folder (datasets/load.h says which that is), else plays.
// Nothing is downloaded.
absl::StatusOr<BenchText> FindText(const std::string& data_dir);

// Sixty-four random batches of a training workload: of the text where the model has its 65
// characters, else of tokens from a seeded source (ZipfTokens), since the text would leave most of
// a large vocabulary unused. Always the same.
absl::StatusOr<std::vector<datasets::Batch>> MakeBatches(const Workload& workload,
                                                         const BenchText& text);

// Whether MakeBatches takes the text.
bool TakesText(const Workload& workload);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_BATCHES_H_
