#include "tools/bench/workload.h"

namespace lemma::tools::bench {
namespace {

using models::GptConfig;

GptConfig NanoGptGpuSizes() { return {.context = 256, .width = 384, .heads = 6, .layers = 6}; }

// 162,419,712 parameters.
GptConfig Gpt2Sizes() {
  return {.vocab = 50257, .context = 256, .width = 768, .heads = 12, .layers = 12};
}

}  // namespace

const char* KindName(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kTrain:
      return "train";
    case WorkloadKind::kSample:
      return "sample";
    case WorkloadKind::kSamplePast:
      return "sample-past";
    case WorkloadKind::kSmallOp:
      return "small-op";
  }
  return "";
}

const std::vector<Workload>& Workloads() {
  using enum WorkloadKind;
  static const auto* workloads = new std::vector<Workload>{
      {"course-b1", kTrain, GptConfig{}, 1},
      {"course-b12", kTrain, GptConfig{}, 12},
      {"course-b64", kTrain, GptConfig{}, 64},
      {"nanogpt-gpu", kTrain, NanoGptGpuSizes(), 16},
      {"gpt2-124m", kTrain, Gpt2Sizes(), 4},
      {"sample-course", kSample, GptConfig{}},
      {"sample-gpt2", kSample, Gpt2Sizes()},
      {"sample-course-past", kSamplePast, GptConfig{}},
      {"sample-gpt2-past", kSamplePast, Gpt2Sizes()},
      {"add", kSmallOp},
      {"add-recorded", kSmallOp},
      {"add-backward", kSmallOp},
  };
  return *workloads;
}

std::vector<std::string> WorkloadNames() {
  std::vector<std::string> names;
  for (const Workload& workload : Workloads()) names.push_back(workload.name);
  return names;
}

const Workload* FindWorkload(absl::string_view name) {
  for (const Workload& workload : Workloads()) {
    if (workload.name == name) return &workload;
  }
  return nullptr;
}

int64_t TokensPerUnit(const Workload& workload) {
  switch (workload.kind) {
    case WorkloadKind::kTrain:
      return workload.batch * workload.model.context;
    case WorkloadKind::kSample:
      return workload.model.context;
    case WorkloadKind::kSamplePast:
      return 1;
    case WorkloadKind::kSmallOp:
      return 0;
  }
  return 0;
}

double TrainingFlopsPerToken(const GptConfig& model) {
  const double l = static_cast<double>(model.layers), t = static_cast<double>(model.context);
  const double c = static_cast<double>(model.width), v = static_cast<double>(model.vocab);
  return 6 * (12 * l * c * c + v * c) + 6 * l * t * c;
}

double WeightBytesPerToken(const GptConfig& model) {
  const int64_t embeddings = (model.vocab + model.context) * model.width;
  return 4.0 * static_cast<double>(models::ParameterFormula(model) - embeddings);
}

}  // namespace lemma::tools::bench
