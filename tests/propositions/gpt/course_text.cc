#include "tests/propositions/gpt/course_text.h"

#include "absl/status/statusor.h"
#include "autograd/create.h"
#include "autograd/error.h"
#include "datasets/batches.h"
#include "datasets/char_tokenizer.h"
#include "datasets/load.h"
#include "datasets/plays.h"
#include "datasets/tiny_shakespeare.h"

namespace lemma::propositions {
namespace {

std::vector<int64_t> Encode(const std::string& text) {
  return *datasets::CharTokenizer::Course().Encode(text);
}

CourseText FindText() {
  if (const absl::StatusOr<std::string> folder = datasets::DataDir(""); folder.ok()) {
    const absl::StatusOr<datasets::FoundText> found = datasets::FindTinyShakespeare(*folder);
    if (found.ok()) return {"tiny Shakespeare", Encode(found->text)};
  }
  return {"plays", Encode(datasets::MakePlays(datasets::kPlaysSeed).text)};
}

}  // namespace

const CourseText& Text() {
  static const CourseText& text = *new CourseText(FindText());
  return text;
}

TokenBatch RealBatch(int64_t rows, int64_t length, uint64_t seed) {
  absl::StatusOr<datasets::BatchSampler> sampler =
      datasets::BatchSampler::Create(Text().tokens, rows, length, seed);
  LEMMA_CHECK(sampler.ok(), sampler.status().ToString());
  datasets::Batch batch;
  sampler->Next(&batch);
  return {FromVector(batch.inputs, {rows, length}), FromVector(batch.targets, {rows, length})};
}

TokenBatch FirstBatch() {
  const std::vector<int64_t> ids =
      Encode("First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll");
  LEMMA_CHECK(ids.size() == 65);
  return {FromVector(std::vector<int64_t>(ids.begin(), ids.end() - 1), {1, 64}),
          FromVector(std::vector<int64_t>(ids.begin() + 1, ids.end()), {1, 64})};
}

}  // namespace lemma::propositions
