#include "tools/bench/report.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/bench/workload.h"

namespace lemma::tools::bench {
namespace {

// Ours at 10 ms, a peer at 25 ms, and one that dropped out.
std::vector<RaceResult> Race() {
  return {{.info = {.name = "Lemma"}, .unit_ms = {9, 10, 11}, .loss = 4.1, .peak_bytes = 1000},
          {.info = {.name = "PyTorch", .version = "2.15.0", .mode = "eager"},
           .unit_ms = {25, 25, 25},
           .peak_bytes = 4000},
          {.status = absl::UnavailableError("gone"), .info = {.name = "JAX"}}};
}

Report SampleReport() {
  Report report;
  report.machine = {.cpu = "A processor",
                    .cores = 2,
                    .limits = {.f32_gflops = 200, .bf16_gflops = 400, .copy_gb_s = 40},
                    .versions = {{"oneDNN", "2.6.3"}, {"compiler", "12"}}};
  for (const char* name : {"course-b12", "sample-course", "add"}) {
    report.workloads.push_back(MakeResult({.workload = *FindWorkload(name), .threads = 2}, Race()));
  }
  report.kernels = {{.name = "MatMulForward<float>/64", .median_ms = 1, .gflops = 100},
                    {.name = "MatMulForward<BFloat16>/64", .median_ms = 1, .gflops = 100},
                    {.name = "Gelu/64", .median_ms = 1, .gb_s = 10}};
  report.missing_peers = {"JAX: not installed"};
  report.notes = {"a note"};
  SetShares(report);
  return report;
}

TEST(Report, RatiosArePeersTimesOverOurs) {
  const WorkloadResult result = SampleReport().workloads[0];
  EXPECT_EQ(result.median_ms, 10);
  EXPECT_DOUBLE_EQ(result.spread, 0.1);
  EXPECT_EQ(result.peak_bytes, 1000);
  EXPECT_DOUBLE_EQ(result.tokens_per_s, 76800);
  ASSERT_EQ(result.peers.size(), 1u);
  EXPECT_EQ(result.peers[0].ratio, 2.5);
  EXPECT_DOUBLE_EQ(result.peers[0].tokens_per_s, 30720);
}

TEST(Report, SharesAreOfTheLimitThatBinds) {
  const Report report = SampleReport();
  EXPECT_DOUBLE_EQ(report.workloads[0].share_of_peak,
                   76800 * TrainingFlopsPerToken(FindWorkload("course-b12")->model) / 200e9);
  EXPECT_DOUBLE_EQ(report.workloads[1].share_of_peak,
                   6400 * WeightBytesPerToken(FindWorkload("sample-course")->model) / 40e9);
  EXPECT_EQ(report.workloads[2].share_of_peak, 0);
  Report bf16 = report;
  bf16.workloads[0].precision = "bf16";
  SetShares(bf16);
  EXPECT_DOUBLE_EQ(bf16.workloads[0].share_of_peak, report.workloads[0].share_of_peak / 2);
}

TEST(Report, KernelsAreHeldAgainstThePeakOfTheirPrecisionOrACopy) {
  const std::vector<KernelResult> kernels = SampleReport().kernels;
  EXPECT_DOUBLE_EQ(kernels[0].share_of_peak, 0.5);
  EXPECT_DOUBLE_EQ(kernels[1].share_of_peak, 0.25);
  EXPECT_DOUBLE_EQ(kernels[2].share_of_peak, 0.25);
}

TEST(Report, JsonHasTheKeysThatReadersRelyOn) {
  const auto json = nlohmann::json::parse(ReportToJson(SampleReport()));
  for (const char* key :
       {"cpu", "cores", "peak_f32_gflops", "peak_bf16_gflops", "copy_gb_s", "versions"}) {
    EXPECT_TRUE(json.at("machine").contains(key)) << key;
  }
  ASSERT_EQ(json.at("workloads").size(), 3u);
  for (const nlohmann::json& workload : json.at("workloads")) {
    for (const char* key : {"name", "precision", "threads", "median_ms", "spread", "tokens_per_s",
                            "share_of_peak", "peak_bytes", "peers"}) {
      EXPECT_TRUE(workload.contains(key)) << key;
    }
    for (const char* key : {"name", "version", "mode", "median_ms", "ratio"}) {
      EXPECT_TRUE(workload.at("peers").at(0).contains(key)) << key;
    }
  }
  EXPECT_TRUE(json.at("workloads").at(2).at("tokens_per_s").is_null());
  EXPECT_LT(json.at("workloads").at(0).at("share_of_peak").get<double>(), 10);
}

TEST(Report, JsonComesBackAsItWas) {
  const Report report = SampleReport();
  const std::string json = ReportToJson(report);
  const absl::StatusOr<Report> read = ReportFromJson(json);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ReportToJson(*read), json);
  EXPECT_EQ(read->machine.versions, report.machine.versions);
  EXPECT_EQ(read->workloads[1].peers[0].mode, "eager");
}

TEST(Report, WhatIsNoReportIsRefused) {
  for (const char* text : {"", "{", "[]", "{\"machine\": 3}", "{\"machine\": {}}"}) {
    EXPECT_FALSE(ReportFromJson(text).ok()) << text;
  }
  std::string json = ReportToJson(SampleReport());
  json.replace(json.find("\"ratio\""), 7, "\"other\"");
  EXPECT_FALSE(ReportFromJson(json).ok());
}

}  // namespace
}  // namespace lemma::tools::bench
