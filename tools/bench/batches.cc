#include "tools/bench/batches.h"

#include <utility>

#include "absl/status/status.h"
#include "datasets/char_tokenizer.h"
#include "datasets/load.h"
#include "datasets/plays.h"
#include "datasets/text_dataset.h"
#include "datasets/tiny_shakespeare.h"
#include "tools/bench/batch_file.h"

namespace lemma::tools::bench {
namespace {

constexpr uint64_t kSeed = 1337;
constexpr int kBatches = 64;
constexpr int64_t kCharacters = 65;
constexpr int64_t kSeededTokens = 200'000;

absl::StatusOr<std::string> TinyShakespeare(const std::string& data_dir) {
  absl::StatusOr<std::string> folder = datasets::DataDir(data_dir);
  if (!folder.ok()) return folder.status();
  absl::StatusOr<datasets::FoundText> found = datasets::FindTinyShakespeare(*folder);
  if (!found.ok()) return found.status();
  return std::move(found->text);
}

}  // namespace

absl::StatusOr<BenchText> FindText(const std::string& data_dir) {
  BenchText text{.name = "tinyshakespeare", .tokens = {}};
  absl::StatusOr<std::string> characters = TinyShakespeare(data_dir);
  if (!characters.ok()) {
    text.name = "plays";
    characters = datasets::MakePlays(datasets::kPlaysSeed).text;
  }
  absl::StatusOr<datasets::TextDataset> data = datasets::MakeTextDataset(
      text.name, *std::move(characters), datasets::CharTokenizer::Course());
  if (!data.ok()) return data.status();
  text.tokens = std::move(data->train);
  return text;
}

bool TakesText(const Workload& workload) {
  return workload.kind == WorkloadKind::kTrain && workload.model.vocab == kCharacters;
}

absl::StatusOr<std::vector<datasets::Batch>> MakeBatches(const Workload& workload,
                                                         const BenchText& text) {
  const std::vector<int64_t> tokens =
      TakesText(workload) ? text.tokens : ZipfTokens(workload.model.vocab, kSeededTokens);
  absl::StatusOr<datasets::BatchSampler> sampler =
      datasets::BatchSampler::Create(tokens, workload.batch, workload.model.context, kSeed);
  if (!sampler.ok()) return sampler.status();
  std::vector<datasets::Batch> batches(kBatches);
  for (datasets::Batch& batch : batches) sampler->Next(&batch);
  return batches;
}

}  // namespace lemma::tools::bench
