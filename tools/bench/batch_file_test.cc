#include "tools/bench/batch_file.h"

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

using datasets::Batch;

TEST(BatchFile, BatchesComeBackAsTheyWere) {
  const std::string path = testing::TempDir() + "/batches";
  const std::vector<Batch> batches = {
      {.rows = 2, .length = 3, .inputs = {1, 2, 3, 7, 8, 9}, .targets = {2, 3, 4, 8, 9, 50256}},
      {.rows = 2, .length = 3, .inputs = {0, 0, 1, 5, 6, 7}, .targets = {0, 1, 1, 6, 7, 8}}};
  ASSERT_TRUE(WriteBatches(path, batches).ok());
  const absl::StatusOr<std::vector<Batch>> read = ReadBatches(path, 2, 3);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*read)[i].inputs, batches[i].inputs);
    EXPECT_EQ((*read)[i].targets, batches[i].targets);
    EXPECT_EQ((*read)[i].rows, 2);
    EXPECT_EQ((*read)[i].length, 3);
  }
}

TEST(BatchFile, FilesOfAnotherSizeAreRefused) {
  const std::string path = testing::TempDir() + "/short";
  EXPECT_FALSE(ReadBatches(testing::TempDir() + "/missing", 2, 3).ok());
  std::ofstream(path) << "12345";
  const absl::StatusOr<std::vector<Batch>> read = ReadBatches(path, 2, 3);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().ToString().find("5 bytes"), std::string::npos) << read.status();
}

TEST(BatchFile, ZipfTokensCoverTheVocabularyAndFavourSmallNumbers) {
  const std::vector<int64_t> tokens = ZipfTokens(1000, 100000);
  ASSERT_EQ(tokens.size(), 100000u);
  int64_t zeros = 0;
  std::set<int64_t> seen;
  for (const int64_t token : tokens) {
    ASSERT_GE(token, 0);
    ASSERT_LT(token, 1000);
    zeros += token == 0;
    seen.insert(token);
  }
  // P(0) = log 2 / log 1001 = 0.1003, with a standard deviation of 95 in 100,000.
  EXPECT_NEAR(static_cast<double>(zeros), 10033, 500);
  EXPECT_GT(seen.size(), 900u);
  EXPECT_EQ(tokens, ZipfTokens(1000, 100000));
}

}  // namespace
}  // namespace lemma::tools::bench
