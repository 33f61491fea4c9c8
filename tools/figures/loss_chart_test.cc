#include "tools/figures/loss_chart.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/plot.h"

namespace lemma::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A run's folder with these lines in its metrics.jsonl.
std::string MakeRun(const std::string& name, const std::string& lines) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/metrics.jsonl") << lines;
  return folder;
}

constexpr char kLines[] =
    "{\"step\":1,\"loss\":4.2}\n{\"step\":2,\"loss\":3.5,\"val_loss\":3.6}\nbroken\n";

TEST(LossChart, OneRunHasItsTwoLosses) {
  const Chart chart = LossChart({MakeRun("one", kLines)}).value();
  ASSERT_EQ(chart.curves.size(), 2u);
  EXPECT_EQ(chart.curves[0].name, "training batches");
  EXPECT_THAT(chart.curves[0].y, ElementsAre(4.2, 3.5));
  EXPECT_THAT(chart.curves[1].x, ElementsAre(2));
  EXPECT_THAT(chart.title, HasSubstr("Loss of "));
  EXPECT_EQ(LossChart({MakeRun("one", kLines) + "/metrics.jsonl"}).value().curves.size(), 2u);
}

TEST(LossChart, SeveralRunsHaveAColourEach) {
  const std::string a = MakeRun("a", kLines), b = MakeRun("b", "{\"step\":3,\"loss\":2}\n");
  const Chart chart = LossChart({a, b + "/"}).value();
  ASSERT_EQ(chart.curves.size(), 3u);
  EXPECT_EQ(chart.curves[0].style, CurveStyle::kFaint);  // training of a, behind the lines
  EXPECT_EQ(chart.curves[0].name, "");
  EXPECT_EQ(chart.curves[1].name, a);
  EXPECT_THAT(chart.curves[1].y, ElementsAre(3.6));
  EXPECT_EQ(chart.curves[2].name, b);  // without a validation loss
  EXPECT_EQ(chart.curves[2].style, CurveStyle::kLine);
  EXPECT_EQ(chart.curves[0].colour, chart.curves[1].colour);
  EXPECT_NE(chart.curves[1].colour, chart.curves[2].colour);
}

TEST(LossChart, NamesTheRunThatIsNone) {
  EXPECT_THAT(LossChart({MakeRun("a", kLines), "/no/such/run"}).status().message(),
              HasSubstr("/no/such/run"));
  EXPECT_THAT(LossChart({MakeRun("empty", "")}).status().message(), HasSubstr("holds no loss"));
  const std::string bare = ::testing::TempDir() + "/bare";
  std::filesystem::create_directories(bare);
  EXPECT_THAT(LossChart({bare}).status().message(), HasSubstr("bare/metrics.jsonl"));
}

}  // namespace
}  // namespace lemma::tools
