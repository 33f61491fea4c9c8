#include "tools/bench/worker.h"

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/bench/batch_file.h"
#include "tools/bench/task.h"
#include "tools/bench/workload.h"

namespace lemma::tools::bench {
namespace {

// The lines with which a worker answers the requests.
std::vector<std::string> Answers(const std::string& requests) {
  std::istringstream in(requests);
  std::ostringstream out;
  ServeRequests(in, out);
  std::vector<std::string> lines = absl::StrSplit(out.str(), '\n');
  EXPECT_EQ(lines.back(), "");
  lines.pop_back();
  return lines;
}

nlohmann::json Value(const std::string& line) {
  EXPECT_TRUE(absl::StartsWith(line, "ok ")) << line;
  return nlohmann::json::parse(line.substr(3), nullptr, false);
}

// A model that is trained and sampled in no time.
Task SmallTask(WorkloadKind kind) {
  Workload workload{.name = "small", .kind = kind, .batch = 2};
  workload.model = {.vocab = 11, .context = 8, .width = 16, .heads = 2, .layers = 2};
  return {.workload = workload, .threads = 1};
}

Task SmallTrainingTask() {
  Task task = SmallTask(WorkloadKind::kTrain);
  task.batches = testing::TempDir() + "/worker_batches";
  datasets::Batch batch;
  batch.rows = 2;
  batch.length = 8;
  for (int64_t i = 0; i < 16; ++i) {
    batch.inputs.push_back(i % 11);
    batch.targets.push_back((i + 1) % 11);
  }
  EXPECT_TRUE(WriteBatches(task.batches, {batch}).ok());
  return task;
}

TEST(Worker, TrainsTheStepsItIsToldTo) {
  const std::vector<std::string> lines =
      Answers("prepare " + TaskToJson(SmallTrainingTask()) + "\nrun 1\nrun 40\nexit\nrun 1\n");
  ASSERT_EQ(lines.size(), 3u);  // nothing is answered after exit
  const nlohmann::json prepared = Value(lines[0]);
  EXPECT_EQ(prepared["name"], "Lemma");
  EXPECT_EQ(prepared["parameters"], models::ParameterFormula(SmallTrainingTask().workload.model));
  EXPECT_GT(prepared["idle_bytes"].get<int64_t>(), 0);
  const nlohmann::json first = Value(lines[1]), rest = Value(lines[2]);
  EXPECT_EQ(first["unit_ms"].size(), 1u);
  EXPECT_EQ(rest["unit_ms"].size(), 40u);
  EXPECT_LT(rest["loss"].get<double>(), first["loss"].get<double>());
  EXPECT_GT(first["peak_bytes"].get<int64_t>(), prepared["idle_bytes"].get<int64_t>());
}

TEST(Worker, SamplesWindowsAndPastThem) {
  for (const WorkloadKind kind : {WorkloadKind::kSample, WorkloadKind::kSamplePast}) {
    const std::vector<std::string> lines =
        Answers("prepare " + TaskToJson(SmallTask(kind)) + "\nrun 3\n");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(Value(lines[1])["unit_ms"].size(), 3u);
  }
}

TEST(Worker, MeasuresSmallOpsInGroups) {
  for (const char* name : {"add", "add-recorded", "add-backward"}) {
    Task task{.workload = *FindWorkload(name)};
    const std::vector<std::string> lines = Answers("prepare " + TaskToJson(task) + "\nrun 100\n");
    ASSERT_EQ(lines.size(), 2u);
    const nlohmann::json run = Value(lines[1]);
    EXPECT_EQ(run["unit_ms"].size(), 10u);
    for (const nlohmann::json& ms : run["unit_ms"]) EXPECT_GT(ms.get<double>(), 0);
  }
}

TEST(Worker, AnswersWrongRequestsWithASentence) {
  Task unreadable = SmallTrainingTask();
  unreadable.batches = "nowhere";
  for (const std::string& request :
       {std::string("dance"), std::string("run 1"), std::string("prepare {}"),
        std::string("prepare [1, 2"), "prepare " + TaskToJson(unreadable),
        "prepare " + TaskToJson(SmallTask(WorkloadKind::kSample)) + "\nrun 0"}) {
    const std::vector<std::string> lines = Answers(request + "\n");
    ASSERT_FALSE(lines.empty());
    EXPECT_TRUE(absl::StartsWith(lines.back(), "error ")) << lines.back();
  }
}

}  // namespace
}  // namespace lemma::tools::bench
