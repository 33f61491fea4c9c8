#include "tools/metrics.h"

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class MetricsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = absl::StrCat(::testing::TempDir(), "/metrics_",
                         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    unlink(path_.c_str());
  }
  std::string path_;
};

TEST_F(MetricsTest, LinesAreJson) {
  EXPECT_EQ(FormatMetrics({10, {{"loss", 2.4312}, {"tokens_per_second", 45120}, {"lr", 1e-20}}}),
            "{\"step\":10,\"loss\":2.4312,\"tokens_per_second\":45120,\"lr\":1e-20}");
  EXPECT_EQ(FormatMetrics({0, {}}), "{\"step\":0}");
  EXPECT_EQ(FormatMetrics({1, {{"a\"b", std::nan("")}, {"c", INFINITY}, {"d", -INFINITY}}}),
            "{\"step\":1,\"a\\\"b\":\"NaN\",\"c\":\"Infinity\",\"d\":\"-Infinity\"}");
}

TEST_F(MetricsTest, EachLineIsThereAtOnceAndComesBack) {
  absl::StatusOr<MetricsWriter> writer = MetricsWriter::Open(path_);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(writer->Append({1, {{"loss", 0.1}, {"bad", std::nan("")}}}).ok());
  absl::StatusOr<MetricsFile> file = ReadMetrics(path_);
  ASSERT_EQ(file->records.size(), 1u);
  ASSERT_TRUE(writer->Append({2, {{"loss", -INFINITY}}}).ok());
  file = ReadMetrics(path_);
  ASSERT_EQ(file->records.size(), 2u);
  EXPECT_THAT(file->problems, IsEmpty());
  EXPECT_EQ(file->records[0].Find("loss"), 0.1);
  EXPECT_TRUE(std::isnan(*file->records[0].Find("bad")));
  EXPECT_EQ(file->records[1].step, 2);
  EXPECT_EQ(file->records[1].Find("loss"), -INFINITY);
  EXPECT_EQ(file->records[1].Find("val_loss"), std::nullopt);
}

TEST_F(MetricsTest, WritersAppendAndEndAHalfWrittenLine) {
  std::ofstream(path_) << "{\"step\":1}\n{\"step\":2,\"lo";
  ASSERT_TRUE(MetricsWriter::Open(path_)->Append({3, {}}).ok());
  EXPECT_EQ(ReadAll(path_), "{\"step\":1}\n{\"step\":2,\"lo\n{\"step\":3}\n");
  const absl::StatusOr<MetricsFile> file = ReadMetrics(path_);
  EXPECT_EQ(file->records.size(), 2u);
  EXPECT_THAT(file->problems, ElementsAre(HasSubstr("line 2: no valid JSON at column")));
}

TEST_F(MetricsTest, ALastLineWithoutAnEndIsNotThereYet) {
  const MetricsFile file = ParseMetrics("{\"step\":1}\n{\"step\":2}\n{\"step\":3}");
  EXPECT_EQ(file.records.size(), 2u);
  EXPECT_THAT(file.problems, IsEmpty());
}

TEST_F(MetricsTest, BadLinesAreNamedByNumber) {
  const MetricsFile file = ParseMetrics(
      "{\"step\":1}\r\n\n[1]\n3\n\"NaN\"\n{\"loss\":1}\n{\"step\":-1}\n{\"step\":1.5}\n"
      "{\"step\":1,\"a\":{}}\n{\"step\":1,\"a\":[1]}\n{\"step\":1,\"a\":\"x\"}\n"
      "{\"step\":1,\"a\":true}\n{\"step\":\"1\"}\n{\"step\":18446744073709551615}\n{\"step\":2}\n");
  EXPECT_THAT(
      file.problems,
      ElementsAre("line 3: it is no JSON object", "line 4: it is no JSON object",
                  "line 5: it is no JSON object", "line 6: it has no step",
                  "line 7: its step is no whole number from 0 on",
                  "line 8: its step is no whole number from 0 on", "line 9: a value is an object",
                  "line 10: a value is an array", "line 11: a value is a text",
                  "line 12: a value is true or false", "line 13: a value is a text",
                  "line 14: its step is no whole number from 0 on"));
  EXPECT_EQ(file.records.size(), 2u);
}

TEST_F(MetricsTest, DeepNestingIsRefused) {
  const MetricsFile file = ParseMetrics(absl::StrCat("{\"a\":", std::string(5'000'000, '['), "\n"));
  EXPECT_THAT(file.problems, ElementsAre("line 1: a value is an array"));
}

TEST_F(MetricsTest, AnyBytesAreSurvived) {
  const char* const given = std::getenv("LEMMA_FUZZ_SEED");
  const uint32_t seed = given != nullptr ? std::stoul(given) : std::random_device{}();
  SCOPED_TRACE(absl::StrCat("LEMMA_FUZZ_SEED=", seed));
  std::mt19937 random(seed);
  const std::string valid =
      "{\"step\":12,\"loss\":2.5,\"x\":\"NaN\"}\n{\"step\":13,\"loss\":null}\n";
  for (int i = 0; i < 50'000; ++i) {
    std::string text = valid;
    for (int changes = 0; changes < 3; ++changes) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    const MetricsFile file = ParseMetrics(text);
    ASSERT_LE(file.records.size() + file.problems.size(), 5u);
  }
}

TEST_F(MetricsTest, TruncationKeepsWhatAResumedRunHasDone) {
  std::ofstream(path_)
      << "{\"step\":1,\"loss\":0.1}\ngarbage\n{\"step\":3}\n{\"step\":2,\"val_loss\":"
         "\"NaN\"}\n{\"step\":4}\n{\"st";
  ASSERT_TRUE(TruncateMetrics(path_, 2).ok());
  EXPECT_EQ(ReadAll(path_), "{\"step\":1,\"loss\":0.1}\n{\"step\":2,\"val_loss\":\"NaN\"}\n");
}

TEST_F(MetricsTest, MissingFilesAndFullDisksAreSaid) {
  EXPECT_EQ(ReadMetrics(path_).status().message(),
            "cannot read " + path_ + ": No such file or directory");
  EXPECT_TRUE(TruncateMetrics(path_, 1).ok());
  EXPECT_FALSE(ReadMetrics(::testing::TempDir()).ok());
  EXPECT_EQ(MetricsWriter::Open(path_ + "/x").status().message(),
            "cannot write " + path_ + "/x: No such file or directory");
  absl::StatusOr<MetricsWriter> full = MetricsWriter::Open("/dev/full");
  if (!full.ok()) GTEST_SKIP() << "there is no /dev/full here";
  EXPECT_EQ(full->Append({1, {}}).message(), "cannot write /dev/full: No space left on device");
}

TEST(Metrics, APipeIsRefusedWithoutWaiting) {
  const std::string pipe = ::testing::TempDir() + "/pipe.jsonl";
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(std::string(ReadMetrics(pipe).status().message()), HasSubstr("it is not a file"));
  EXPECT_THAT(std::string(TruncateMetrics(pipe, 3).message()), HasSubstr("it is not a file"));
}

}  // namespace
}  // namespace lemma::tools
