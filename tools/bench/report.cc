#include "tools/bench/report.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tools/bench/precision.h"
#include "tools/bench/statistics.h"
#include "tools/bench/workload.h"

namespace lemma::tools::bench {
namespace {

using Json = nlohmann::ordered_json;

double PerSecond(int64_t tokens, double ms) {
  return ms > 0 ? 1e3 * static_cast<double>(tokens) / ms : 0;
}

double Share(const Workload& workload, const WorkloadResult& result, const Limits& limits) {
  double work = 0, limit = 0;
  if (workload.kind == WorkloadKind::kTrain) {
    work = TrainingFlopsPerToken(workload.model);
    const bool bf16 = result.precision == PrecisionName(Precision::kBFloat16);
    limit = 1e9 * (bf16 ? limits.bf16_gflops : limits.f32_gflops);
  } else if (workload.kind == WorkloadKind::kSample) {
    work = WeightBytesPerToken(workload.model);
    limit = 1e9 * limits.copy_gb_s;
  }
  return limit > 0 ? work * result.tokens_per_s / limit : 0;
}

double Share(const KernelResult& kernel, const Limits& limits) {
  const bool bf16 = absl::StrContains(kernel.name, "BFloat16");
  const double peak = bf16 ? limits.bf16_gflops : limits.f32_gflops;
  if (kernel.gflops > 0) return peak > 0 ? kernel.gflops / peak : 0;
  return limits.copy_gb_s > 0 ? kernel.gb_s / limits.copy_gb_s : 0;
}

// A number where there is one.
Json OrNull(double value) { return value != 0 ? Json(value) : Json(); }

double NumberOrZero(const nlohmann::json& json, const char* key) {
  const nlohmann::json& value = json.at(key);
  return value.is_null() ? 0 : value.get<double>();
}

Json PeerToJson(const PeerResult& peer) {
  return {{"name", peer.name},
          {"version", peer.version},
          {"mode", peer.mode},
          {"median_ms", peer.median_ms},
          {"spread", peer.spread},
          {"tokens_per_s", OrNull(peer.tokens_per_s)},
          {"peak_bytes", peer.peak_bytes},
          {"ratio", peer.ratio}};
}

PeerResult PeerFromJson(const nlohmann::json& json) {
  return {.name = json.at("name").get<std::string>(),
          .version = json.at("version").get<std::string>(),
          .mode = json.at("mode").get<std::string>(),
          .median_ms = json.at("median_ms").get<double>(),
          .spread = json.at("spread").get<double>(),
          .tokens_per_s = NumberOrZero(json, "tokens_per_s"),
          .peak_bytes = json.at("peak_bytes").get<int64_t>(),
          .ratio = json.at("ratio").get<double>()};
}

Json WorkloadToJson(const WorkloadResult& result) {
  Json json = {{"name", result.name},
               {"precision", result.precision},
               {"threads", result.threads},
               {"median_ms", result.median_ms},
               {"spread", result.spread},
               {"tokens_per_s", OrNull(result.tokens_per_s)},
               {"share_of_peak", OrNull(result.share_of_peak)},
               {"peak_bytes", result.peak_bytes}};
  json["peers"] = Json::array();
  for (const PeerResult& peer : result.peers) json["peers"].push_back(PeerToJson(peer));
  return json;
}

WorkloadResult WorkloadFromJson(const nlohmann::json& json) {
  WorkloadResult result{.name = json.at("name").get<std::string>(),
                        .precision = json.at("precision").get<std::string>(),
                        .threads = json.at("threads").get<int>(),
                        .median_ms = json.at("median_ms").get<double>(),
                        .spread = json.at("spread").get<double>(),
                        .tokens_per_s = NumberOrZero(json, "tokens_per_s"),
                        .share_of_peak = NumberOrZero(json, "share_of_peak"),
                        .peak_bytes = json.at("peak_bytes").get<int64_t>()};
  for (const nlohmann::json& peer : json.at("peers")) result.peers.push_back(PeerFromJson(peer));
  return result;
}

Json KernelToJson(const KernelResult& kernel) {
  return {{"name", kernel.name},         {"median_ms", kernel.median_ms},
          {"spread", kernel.spread},     {"gflops", OrNull(kernel.gflops)},
          {"gb_s", OrNull(kernel.gb_s)}, {"share_of_peak", OrNull(kernel.share_of_peak)}};
}

KernelResult KernelFromJson(const nlohmann::json& json) {
  return {.name = json.at("name").get<std::string>(),
          .median_ms = json.at("median_ms").get<double>(),
          .spread = json.at("spread").get<double>(),
          .gflops = NumberOrZero(json, "gflops"),
          .gb_s = NumberOrZero(json, "gb_s"),
          .share_of_peak = NumberOrZero(json, "share_of_peak")};
}

Json MachineToJson(const Machine& machine) {
  Json json = {{"cpu", machine.cpu},
               {"cores", machine.cores},
               {"peak_f32_gflops", OrNull(machine.limits.f32_gflops)},
               {"peak_bf16_gflops", OrNull(machine.limits.bf16_gflops)},
               {"copy_gb_s", OrNull(machine.limits.copy_gb_s)}};
  json["versions"] = Json::object();
  for (const auto& [name, version] : machine.versions) json["versions"][name] = version;
  return json;
}

Machine MachineFromJson(const nlohmann::ordered_json& json) {
  Machine machine{.cpu = json.at("cpu").get<std::string>(), .cores = json.at("cores").get<int>()};
  machine.limits = {.f32_gflops = NumberOrZero(json, "peak_f32_gflops"),
                    .bf16_gflops = NumberOrZero(json, "peak_bf16_gflops"),
                    .copy_gb_s = NumberOrZero(json, "copy_gb_s")};
  for (const auto& [name, version] : json.at("versions").items()) {
    machine.versions.emplace_back(name, version.get<std::string>());
  }
  return machine;
}

}  // namespace

WorkloadResult MakeResult(const Task& task, const std::vector<RaceResult>& race) {
  const int64_t tokens = TokensPerUnit(task.workload);
  const RaceResult& ours = race[0];
  WorkloadResult result{.name = task.workload.name,
                        .precision = PrecisionName(task.precision),
                        .threads = task.threads,
                        .median_ms = Median(ours.unit_ms),
                        .spread = Spread(ours.unit_ms),
                        .peak_bytes = ours.peak_bytes,
                        .loss = ours.loss};
  result.tokens_per_s = PerSecond(tokens, result.median_ms);
  for (size_t i = 1; i < race.size(); ++i) {
    if (!race[i].status.ok()) continue;
    PeerResult peer{.name = race[i].info.name,
                    .version = race[i].info.version,
                    .mode = race[i].info.mode,
                    .median_ms = Median(race[i].unit_ms),
                    .spread = Spread(race[i].unit_ms),
                    .peak_bytes = race[i].peak_bytes};
    peer.tokens_per_s = PerSecond(tokens, peer.median_ms);
    peer.ratio = peer.median_ms / result.median_ms;
    result.peers.push_back(std::move(peer));
  }
  return result;
}

void SetShares(Report& report) {
  for (WorkloadResult& result : report.workloads) {
    const Workload* workload = FindWorkload(result.name);
    if (workload == nullptr) continue;
    result.share_of_peak = Share(*workload, result, report.machine.limits);
  }
  for (KernelResult& kernel : report.kernels) {
    kernel.share_of_peak = Share(kernel, report.machine.limits);
  }
}

std::string ReportToJson(const Report& report) {
  Json json;
  json["machine"] = MachineToJson(report.machine);
  json["workloads"] = Json::array();
  for (const WorkloadResult& result : report.workloads) {
    json["workloads"].push_back(WorkloadToJson(result));
  }
  json["kernels"] = Json::array();
  for (const KernelResult& kernel : report.kernels) json["kernels"].push_back(KernelToJson(kernel));
  json["missing_peers"] = report.missing_peers;
  json["notes"] = report.notes;
  return json.dump(1) + "\n";
}

absl::StatusOr<Report> ReportFromJson(absl::string_view text) {
  const auto json = Json::parse(text.begin(), text.end(), nullptr, false);
  try {
    Report report{.machine = MachineFromJson(json.at("machine"))};
    for (const Json& workload : json.at("workloads")) {
      report.workloads.push_back(WorkloadFromJson(workload));
    }
    for (const Json& kernel : json.at("kernels")) report.kernels.push_back(KernelFromJson(kernel));
    report.missing_peers = json.at("missing_peers").get<std::vector<std::string>>();
    report.notes = json.at("notes").get<std::vector<std::string>>();
    return report;
  } catch (const nlohmann::json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("this is no result of the benchmark: ", error.what()));
  }
}

}  // namespace lemma::tools::bench
