// The batches of a benchmark in a file, so that every program that takes part sees the same.
//
// int32, little-endian, no header: batch after batch of (B, T + 1) tokens. The inputs of a row are
// its first T tokens, the targets its last T.
#ifndef LEMMA_TOOLS_BENCH_BATCH_FILE_H_
#define LEMMA_TOOLS_BENCH_BATCH_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "datasets/batches.h"

namespace lemma::tools::bench {

absl::Status WriteBatches(const std::string& path, const std::vector<datasets::Batch>& batches);

// Errors: no such file, or one whose size is not that of whole batches of `rows` x `length`.
absl::StatusOr<std::vector<datasets::Batch>> ReadBatches(const std::string& path, int64_t rows,
                                                         int64_t length);

// `count` tokens below `vocab` from a source of a fixed seed in which token k has a probability of
// about 1 / (k + 1) over all, as words of a language have by their rank (Zipf's law).
std::vector<int64_t> ZipfTokens(int64_t vocab, int64_t count);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_BATCH_FILE_H_
