#include "tools/bench/task.h"

#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace lemma::tools::bench {
namespace {

Task SampleTask() {
  return {.workload = *FindWorkload("nanogpt-gpu"),
          .precision = Precision::kBFloat16,
          .threads = 3,
          .recompute = true,
          .batches = "/somewhere"};
}

TEST(Task, JsonComesBackAsItWas) {
  const absl::StatusOr<Task> read = TaskFromJson(TaskToJson(SampleTask()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->workload.name, "nanogpt-gpu");
  EXPECT_EQ(read->workload.kind, WorkloadKind::kTrain);
  EXPECT_EQ(read->workload.model, SampleTask().workload.model);
  EXPECT_EQ(read->workload.batch, 16);
  EXPECT_EQ(read->precision, Precision::kBFloat16);
  EXPECT_EQ(read->threads, 3);
  EXPECT_TRUE(read->recompute);
  EXPECT_EQ(read->batches, "/somewhere");
}

TEST(Task, JsonHasTheSizesThatPeersRead) {
  const auto json = nlohmann::json::parse(TaskToJson(SampleTask()));
  EXPECT_EQ(json["model"]["layers"], 6);
  EXPECT_EQ(json["model"]["heads"], 6);
  EXPECT_EQ(json["model"]["width"], 384);
  EXPECT_EQ(json["model"]["context"], 256);
  EXPECT_EQ(json["model"]["vocab"], 65);
  EXPECT_EQ(json["kind"], "train");
}

TEST(Task, WhatIsNoTaskIsRefused) {
  for (const char* text : {"", "[]", "{}", "{\"workload\": 3}"}) {
    EXPECT_FALSE(TaskFromJson(text).ok()) << text;
  }
  std::string json = TaskToJson(SampleTask());
  json.replace(json.find("bf16"), 4, "bf17");
  EXPECT_FALSE(TaskFromJson(json).ok());
}

}  // namespace
}  // namespace lemma::tools::bench
