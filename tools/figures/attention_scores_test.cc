#include "tools/figures/attention_scores.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "autograd/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"

namespace lemma::tools {
namespace {

using ::testing::HasSubstr;

// The matrix in which position i attends to target[i] alone.
std::vector<float> OneHot(const std::vector<int64_t>& target) {
  std::vector<float> weights(target.size() * target.size(), 0);
  for (size_t i = 0; i < target.size(); ++i) weights[i * target.size() + target[i]] = 1;
  return weights;
}

const std::vector<int64_t> kTokens = {3, 1, 4, 3, 1, 4};

TEST(ScoresOf, KnowsTheIdealHeads) {
  const HeadScores previous = ScoresOf(OneHot({0, 0, 1, 2, 3, 4}), kTokens);
  EXPECT_EQ(previous.previous, 1);
  EXPECT_EQ(previous.duplicate, 0);
  EXPECT_EQ(previous.induction, 0);
  EXPECT_EQ(previous.entropy, 0);
  const HeadScores duplicate = ScoresOf(OneHot({0, 1, 2, 0, 1, 2}), kTokens);
  EXPECT_EQ(duplicate.duplicate, 1);
  EXPECT_EQ(duplicate.induction, 0);
  const HeadScores induction = ScoresOf(OneHot({0, 1, 2, 1, 2, 3}), kTokens);
  EXPECT_EQ(induction.induction, 1);
  EXPECT_EQ(induction.duplicate, 0);
  EXPECT_EQ(induction.previous, 0);
}

TEST(ScoresOf, SumsOverEveryOccurrence) {
  // Token 7 at 0, 1 and 2. Row 1: j = 0 is the duplicate, and j = 1 follows it. Row 2: 0 and 1 are
  // duplicates, 1 and 2 follow them.
  const std::vector<float> weights = {1, 0, 0, 0.25f, 0.75f, 0, 0.5f, 0.25f, 0.25f};
  const HeadScores scores = ScoresOf(weights, std::vector<int64_t>{7, 7, 7});
  EXPECT_DOUBLE_EQ(scores.previous, (0.25 + 0.25) / 2);
  EXPECT_DOUBLE_EQ(scores.duplicate, (0.25 + 0.75) / 2);
  EXPECT_DOUBLE_EQ(scores.induction, (0.75 + 0.5) / 2);
  const double row1 = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
  const double row2 = -0.5 * std::log(0.5) - 0.5 * std::log(0.25);
  EXPECT_NEAR(scores.entropy, (row1 + row2) / 3, 1e-12);
}

TEST(ScoresOf, NoRepetitionIsNoScore) {
  const HeadScores scores = ScoresOf(OneHot({0, 0}), std::vector<int64_t>{1, 2});
  EXPECT_TRUE(std::isnan(scores.duplicate));
  EXPECT_TRUE(std::isnan(scores.induction));
  EXPECT_TRUE(std::isnan(ScoresOf(OneHot({0}), std::vector<int64_t>{1}).previous));
}

TEST(UniformScores, HaveTheLargestEntropy) {
  const HeadScores scores = UniformScores(kTokens);
  double largest = 0, previous = 0;
  for (int i = 0; i < 6; ++i) {
    largest += std::log(i + 1.0) / 6;
    if (i > 0) previous += 1.0 / (i + 1) / 5;
  }
  EXPECT_NEAR(scores.entropy, largest, 1e-6);
  EXPECT_NEAR(scores.previous, previous, 1e-6);
}

TEST(RepeatedRandomTokens, RepeatTheirFirstHalf) {
  Generator generator(3);
  const std::vector<int64_t> tokens = RepeatedRandomTokens(40, 65, generator);
  ASSERT_EQ(tokens.size(), 40u);
  EXPECT_EQ(std::set<int64_t>(tokens.begin(), tokens.end()).size(), 20u) << "without replacement";
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(tokens[i], tokens[i + 20]);
  EXPECT_LT(*std::max_element(tokens.begin(), tokens.end()), 65);
  const std::vector<int64_t> few = RepeatedRandomTokens(40, 3, generator);
  ASSERT_EQ(few.size(), 40u);
  for (const int64_t token : few) EXPECT_TRUE(token >= 0 && token < 3);
}

TEST(ScoreHeads, ScoresEveryChosenHeadNextToUniformAttention) {
  Generator generator(0);
  models::Gpt model({.vocab = 11, .context = 16, .width = 12, .heads = 3, .layers = 2}, generator);
  const std::vector<HeadIndex> heads = {{0, 2}, {1, 0}};
  const ScoreTable table = ScoreHeads(model, kTokens, heads);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.repeat_length, 16);
  for (const ScoreTable::Row& row : table.rows) {
    EXPECT_GT(row.on_text.previous, 0);
    EXPECT_LT(row.on_text.previous, 1);
    EXPECT_LE(row.on_text.entropy, table.uniform_on_text.entropy + 1e-6);
    EXPECT_LE(row.on_repeats.entropy, table.uniform_on_repeats.entropy + 1e-6);
  }
  EXPECT_NE(table.rows[0].on_text.previous, table.rows[1].on_text.previous);
  const std::string text = FormatScoreTable(table);
  EXPECT_THAT(text, HasSubstr("previous  duplic.  induct.  entropy"));
  EXPECT_THAT(text, HasSubstr("\n    1    0 "));
  EXPECT_THAT(text, HasSubstr("\nuniform "));
  EXPECT_THAT(ShortScores(table.rows[0]), HasSubstr("prev 0."));
}

}  // namespace
}  // namespace lemma::tools
