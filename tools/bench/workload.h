// What the benchmark measures: the table of workloads, and the work in each by formula.
#ifndef LEMMA_TOOLS_BENCH_WORKLOAD_H_
#define LEMMA_TOOLS_BENCH_WORKLOAD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "models/gpt/config.h"

namespace lemma::tools::bench {

enum class WorkloadKind {
  kTrain,       // a unit is one step: forward, backward, clip, AdamW on a batch of B x T tokens
  kSample,      // a unit is a window: T tokens of one text with a cache, from an empty context on
  kSamplePast,  // a unit is one token past the context, its window computed anew
  kSmallOp,     // a unit is one call of a small op
};

// The word for it in requests to workers: "train", "sample", "sample-past", "small-op".
const char* KindName(WorkloadKind kind);

struct Workload {
  std::string name = {};
  WorkloadKind kind = WorkloadKind::kTrain;
  models::GptConfig model = {};
  int64_t batch = 0;  // B, of kTrain
};

// All workloads, in the order in which they are run. The models are the course's architecture (head
// not tied, biases as there, exact GELU, dropout 0) in other sizes.
const std::vector<Workload>& Workloads();
std::vector<std::string> WorkloadNames();
// Null if there is none of this name.
const Workload* FindWorkload(absl::string_view name);

// Tokens that a unit trains on or writes; 0 of a small op.
int64_t TokensPerUnit(const Workload& workload);

// Floating point operations that a trained token takes: 6 for each weight of a matrix product and
// 6 L T C for causal attention.
double TrainingFlopsPerToken(const models::GptConfig& model);

// The bytes of float32 weights that have to be read for one sampled token: all but the embeddings.
double WeightBytesPerToken(const models::GptConfig& model);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_WORKLOAD_H_
