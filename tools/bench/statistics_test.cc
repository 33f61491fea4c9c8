#include "tools/bench/statistics.h"

#include <vector>

#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

TEST(Statistics, MedianIsTheMiddleOfAnyOrder) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median({7}), 7);
}

TEST(Statistics, QuantilesInterpolateBetweenNeighbours) {
  const std::vector<double> values = {10, 20, 30, 40, 50};
  EXPECT_EQ(Quantile(values, 0), 10);
  EXPECT_EQ(Quantile(values, 0.25), 20);
  EXPECT_EQ(Quantile(values, 0.875), 45);
  EXPECT_EQ(Quantile(values, 1), 50);
}

TEST(Statistics, SpreadIsTheDistanceOfTheQuartilesOverTheMedian) {
  EXPECT_DOUBLE_EQ(Spread({8, 9, 10, 11, 12}), 0.2);
  EXPECT_EQ(Spread({5, 5, 5}), 0);
}

TEST(Statistics, OneOutlierHardlyMovesTheSpread) {
  EXPECT_DOUBLE_EQ(Spread({8, 9, 10, 11, 1000}), 0.2);
}

TEST(Statistics, NothingHasMedianAndSpreadZero) {
  EXPECT_EQ(Median({}), 0);
  EXPECT_EQ(Spread({}), 0);
}

}  // namespace
}  // namespace lemma::tools::bench
