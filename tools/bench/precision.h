// The number formats that a workload can be computed in.
#ifndef LEMMA_TOOLS_BENCH_PRECISION_H_
#define LEMMA_TOOLS_BENCH_PRECISION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "models/gpt/config.h"

namespace lemma::tools::bench {

enum class Precision {
  kFloat32,   // "f32"
  kBFloat16,  // "bf16": products in bfloat16, weights, sums and the optimizer in float32
};

const char* PrecisionName(Precision precision);
absl::StatusOr<Precision> ParsePrecision(absl::string_view name);

// Makes the model compute in this precision.
void SetPrecision(Precision precision, models::GptConfig& model);

// Whether the processor has AVX512-BF16.
bool ProcessorHasBFloat16();

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_PRECISION_H_
