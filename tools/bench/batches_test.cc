#include "tools/bench/batches.h"

#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

TEST(Batches, WithoutTinyShakespeareTheTextIsPlays) {
  const absl::StatusOr<BenchText> text = FindText(testing::TempDir());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->name, "plays");
  EXPECT_EQ(text->tokens.size(), 1003854u);
  EXPECT_LT(*std::max_element(text->tokens.begin(), text->tokens.end()), 65);
}

TEST(Batches, CharacterModelsReadTheText) {
  BenchText text{.name = "plays", .tokens = std::vector<int64_t>(10000, 7)};
  const Workload& workload = *FindWorkload("course-b12");
  EXPECT_TRUE(TakesText(workload));
  const absl::StatusOr<std::vector<datasets::Batch>> batches = MakeBatches(workload, text);
  ASSERT_TRUE(batches.ok()) << batches.status();
  ASSERT_EQ(batches->size(), 64u);
  EXPECT_EQ((*batches)[0].inputs, std::vector<int64_t>(12 * 64, 7));
}

TEST(Batches, LargeVocabulariesGetSeededTokensOfAllSizes) {
  const Workload& workload = *FindWorkload("gpt2-124m");
  EXPECT_FALSE(TakesText(workload));
  const absl::StatusOr<std::vector<datasets::Batch>> batches = MakeBatches(workload, {});
  ASSERT_TRUE(batches.ok()) << batches.status();
  const std::vector<int64_t>& tokens = batches->front().inputs;
  EXPECT_EQ(tokens.size(), 4u * 256);
  EXPECT_GT(*std::max_element(tokens.begin(), tokens.end()), 40000);
}

TEST(Batches, SmallOpsTakeNoText) { EXPECT_FALSE(TakesText(*FindWorkload("add"))); }

}  // namespace
}  // namespace lemma::tools::bench
