#include "tools/bench/precision.h"

#include "absl/strings/str_cat.h"
#include "autograd/dtype.h"

namespace lemma::tools::bench {

const char* PrecisionName(Precision precision) {
  return precision == Precision::kBFloat16 ? "bf16" : "f32";
}

absl::StatusOr<Precision> ParsePrecision(absl::string_view name) {
  if (name == "f32") return Precision::kFloat32;
  if (name == "bf16") return Precision::kBFloat16;
  return absl::InvalidArgumentError(
      absl::StrCat("the precision \"", name, "\" is not f32 or bf16"));
}

void SetPrecision(Precision precision, models::GptConfig& model) {
  model.compute_dtype = precision == Precision::kBFloat16 ? DType::kBFloat16 : DType::kFloat32;
}

bool ProcessorHasBFloat16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

}  // namespace lemma::tools::bench
