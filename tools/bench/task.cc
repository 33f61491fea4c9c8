#include "tools/bench/task.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/gpt/config.h"
#include "nlohmann/json.hpp"

namespace lemma::tools::bench {
namespace {

absl::StatusOr<WorkloadKind> ParseKind(const std::string& name) {
  using enum WorkloadKind;
  for (const WorkloadKind kind : {kTrain, kSample, kSamplePast, kSmallOp}) {
    if (name == KindName(kind)) return kind;
  }
  return absl::InvalidArgumentError(absl::StrCat("there is no kind of workload \"", name, "\""));
}

absl::StatusOr<Task> FromObject(const nlohmann::json& json) {
  Task task;
  task.workload.name = json.at("workload").get<std::string>();
  absl::StatusOr<WorkloadKind> kind = ParseKind(json.at("kind").get<std::string>());
  if (!kind.ok()) return kind.status();
  task.workload.kind = *kind;
  absl::StatusOr<models::GptConfig> model = models::GptConfig::FromJson(json.at("model").dump());
  if (!model.ok()) return model.status();
  task.workload.model = *model;
  task.workload.batch = json.at("batch").get<int64_t>();
  absl::StatusOr<Precision> precision = ParsePrecision(json.at("precision").get<std::string>());
  if (!precision.ok()) return precision.status();
  task.precision = *precision;
  task.threads = json.at("threads").get<int>();
  task.recompute = json.at("recompute").get<bool>();
  task.batches = json.at("batches").get<std::string>();
  return task;
}

}  // namespace

std::string TaskToJson(const Task& task) {
  nlohmann::ordered_json json;
  json["workload"] = task.workload.name;
  json["kind"] = KindName(task.workload.kind);
  json["precision"] = PrecisionName(task.precision);
  json["threads"] = task.threads;
  json["batch"] = task.workload.batch;
  json["recompute"] = task.recompute;
  json["batches"] = task.batches;
  json["model"] = nlohmann::ordered_json::parse(task.workload.model.ToJson());
  return json.dump();
}

absl::StatusOr<Task> TaskFromJson(absl::string_view text) {
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  try {
    return FromObject(json);
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("the task is not readable: ", error.what()));
  }
}

}  // namespace lemma::tools::bench
