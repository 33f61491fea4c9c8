// Windows of a token stream: random batches for training, and all of a part for evaluation.
//
//   absl::StatusOr<BatchSampler> sampler = BatchSampler::Create(data.train, 12, 64, /*seed=*/1337);
//   Batch batch;
//   sampler->Next(&batch);     // batch.inputs, batch.targets: (12, 64), row after row
//
//   WindowReader reader(data.val, 64);
//   while (reader.Next(/*max_rows=*/32, &batch)) ...
#ifndef LEMMA_DATASETS_BATCHES_H_
#define LEMMA_DATASETS_BATCHES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "autograd/random.h"

namespace lemma::datasets {

// Rows of consecutive tokens. The target of a token is the token after it.
struct Batch {
  int64_t rows = 0;              // B
  int64_t length = 0;            // T
  std::vector<int64_t> inputs;   // (B, T)
  std::vector<int64_t> targets;  // (B, T)
};

// Draws batches as the course does: starts = randint(len - T, (B,)), x = ids[i : i + T],
// y = ids[i + 1 : i + T + 1]. With the same seed they are those of torch.manual_seed.
class BatchSampler {
 public:
  // `tokens` must stay alive and as they are. Errors: rows or context below 1; fewer than context +
  // 1 tokens, and then the text says how many there are.
  static absl::StatusOr<BatchSampler> Create(absl::Span<const int64_t> tokens, int64_t rows,
                                             int64_t context, uint64_t seed);

  void Next(Batch* batch);

  // Where the stream of batches stands. After SetState(state) the same batches follow as followed
  // State() on a sampler of the same tokens and sizes.
  std::string State() const { return generator_.State(); }
  absl::Status SetState(absl::string_view state) { return generator_.SetState(state); }

 private:
  BatchSampler(absl::Span<const int64_t> tokens, int64_t rows, int64_t context, uint64_t seed);

  absl::Span<const int64_t> tokens_;
  int64_t rows_;
  int64_t context_;
  Generator generator_;
  std::vector<int64_t> starts_;
};

// Reads all tokens once, in windows of `context` that follow each other, so that each token but the
// first is a target exactly once. The last window may be shorter; it comes as a batch of its own.
class WindowReader {
 public:
  // `tokens` must stay alive. Needs context >= 1.
  WindowReader(absl::Span<const int64_t> tokens, int64_t context);

  // How many targets there are in all: one less than tokens, and not below 0.
  int64_t targets() const { return targets_; }

  // The next up to `max_rows` >= 1 windows, all of the same length; false, with `batch` as it was,
  // if there are no more.
  bool Next(int64_t max_rows, Batch* batch);

 private:
  absl::Span<const int64_t> tokens_;
  int64_t context_;
  int64_t targets_;
  int64_t position_ = 0;
};

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_BATCHES_H_
