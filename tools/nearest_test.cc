#include "tools/nearest.h"

#include <string>

#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(EditDistance("steps", "steps"), 0);
  EXPECT_EQ(EditDistance("stpes", "steps"), 1);
  EXPECT_EQ(EditDistance("step", "steps"), 1);
  EXPECT_EQ(EditDistance("steeps", "steps"), 1);
  EXPECT_EQ(EditDistance("stops", "steps"), 1);
  EXPECT_EQ(EditDistance("", "lr"), 2);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
}

TEST(EditDistance, CaseAndDashesDoNotCount) {
  EXPECT_EQ(EditDistance("Batch-Size", "batch_size"), 0);
}

TEST(NearestName, IsTheOneWithTheFewestChanges) {
  EXPECT_EQ(NearestName("stpes", {"seed", "steps", "stop"}), "steps");
  EXPECT_EQ(NearestName("batch-size", {"batch_size", "steps"}), "batch_size");
  EXPECT_EQ(NearestName("gpt3", {"course", "gpt2"}), "gpt2");
}

TEST(NearestName, IsEmptyWhereNothingIsNear) {
  EXPECT_EQ(NearestName("frobnicate", {"seed", "steps"}), "");
  EXPECT_EQ(NearestName("x", {"seed", "lr"}), "");
  EXPECT_EQ(NearestName("steps", {}), "");
  EXPECT_EQ(NearestName(std::string(1 << 20, 'x'), {"seed"}), "");
}

}  // namespace
}  // namespace lemma::tools
