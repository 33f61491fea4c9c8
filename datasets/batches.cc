#include "datasets/batches.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "autograd/error.h"

namespace lemma::datasets {
namespace {

void AppendWindow(absl::Span<const int64_t> tokens, int64_t start, int64_t length, Batch* batch) {
  const auto first = tokens.begin() + start;
  batch->inputs.insert(batch->inputs.end(), first, first + length);
  batch->targets.insert(batch->targets.end(), first + 1, first + length + 1);
}

void Clear(int64_t rows, int64_t length, Batch* batch) {
  batch->rows = rows;
  batch->length = length;
  batch->inputs.clear();
  batch->targets.clear();
}

}  // namespace

absl::StatusOr<BatchSampler> BatchSampler::Create(absl::Span<const int64_t> tokens, int64_t rows,
                                                  int64_t context, uint64_t seed) {
  if (rows < 1 || context < 1) {
    return absl::InvalidArgumentError(absl::StrCat("a batch of ", rows, " rows of ", context,
                                                   " tokens: both must be at least 1"));
  }
  const int64_t size = static_cast<int64_t>(tokens.size());
  if (size <= context) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", size, " tokens, and batches with a context of ", context,
                     " need at least ", static_cast<uint64_t>(context) + 1));
  }
  return BatchSampler(tokens, rows, context, seed);
}

BatchSampler::BatchSampler(absl::Span<const int64_t> tokens, int64_t rows, int64_t context,
                           uint64_t seed)
    : tokens_(tokens), rows_(rows), context_(context), generator_(seed), starts_(rows) {}

void BatchSampler::Next(Batch* batch) {
  generator_.RandInt(absl::MakeSpan(starts_), 0, static_cast<int64_t>(tokens_.size()) - context_);
  Clear(rows_, context_, batch);
  for (int64_t start : starts_) AppendWindow(tokens_, start, context_, batch);
}

WindowReader::WindowReader(absl::Span<const int64_t> tokens, int64_t context)
    : tokens_(tokens),
      context_(context),
      targets_(std::max<int64_t>(static_cast<int64_t>(tokens.size()) - 1, 0)) {
  LEMMA_CHECK(context >= 1, context);
}

bool WindowReader::Next(int64_t max_rows, Batch* batch) {
  LEMMA_CHECK(max_rows >= 1, max_rows);
  const int64_t left = targets_ - position_;
  if (left == 0) return false;
  const int64_t length = std::min(context_, left);
  const int64_t rows = std::min(max_rows, left / length);
  Clear(rows, length, batch);
  for (int64_t row = 0; row < rows; ++row, position_ += length) {
    AppendWindow(tokens_, position_, length, batch);
  }
  return true;
}

}  // namespace lemma::datasets
