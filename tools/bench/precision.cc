#include "tools/bench/precision.h"

#include "absl/strings/str_cat.h"

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

absl::Status SetPrecision(Precision precision, models::GptConfig&) {
  if (precision == Precision::kFloat32) return absl::OkStatus();
  return absl::UnimplementedError(
      "the models compute in float32 alone so far; run with --precision=f32");
}

bool ProcessorHasBFloat16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

}  // namespace lemma::tools::bench
