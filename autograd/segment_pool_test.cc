#include "autograd/segment_pool.h"

#include <cstddef>
#include <iterator>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace lemma {
namespace {

using Segment = std::pair<void*, size_t>;

// Two segments that touch.
class SegmentPoolTest : public testing::Test {
 protected:
  SegmentPoolTest() {
    pool_.Add(First(), 1000);
    pool_.Add(Second(), 500);
  }
  std::byte* First() { return memory_.data(); }
  std::byte* Second() { return First() + 1000; }

  std::vector<std::byte> memory_ = std::vector<std::byte>(1500);
  SegmentPool pool_;
};

TEST_F(SegmentPoolTest, CutsFromTheSmallestPieceThatFits) {
  EXPECT_EQ(pool_.Take(400), Second());
  EXPECT_EQ(pool_.Take(400), First());
  EXPECT_EQ(pool_.Take(100), Second() + 400);
  EXPECT_EQ(pool_.Take(600), First() + 400);
  EXPECT_EQ(pool_.Take(1), nullptr);
}

TEST_F(SegmentPoolTest, ABlockJoinsItsFreeNeighbours) {
  pool_.Take(500);  // the second segment
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(pool_.Take(250));
  EXPECT_EQ(pool_.Take(1), nullptr);
  pool_.Give(blocks[2], 250);
  pool_.Give(blocks[0], 250);
  EXPECT_EQ(pool_.Take(500), nullptr);
  pool_.Give(blocks[1], 250);
  EXPECT_NE(pool_.Take(750), nullptr);
}

TEST_F(SegmentPoolTest, SegmentsDoNotJoin) {
  for (const bool first_comes_back_first : {false, true}) {
    EXPECT_EQ(pool_.Take(1001), nullptr);
    void* const first = pool_.Take(1000);
    void* const second = pool_.Take(500);
    if (first_comes_back_first) pool_.Give(first, 1000);
    pool_.Give(second, 500);
    if (!first_comes_back_first) pool_.Give(first, 1000);
    EXPECT_EQ(pool_.Take(1001), nullptr);
  }
}

TEST_F(SegmentPoolTest, GivesUpOnlyFreeSegments) {
  void* const block = pool_.Take(600);
  EXPECT_EQ(pool_.RemoveFreeSegment(), Segment(Second(), 500));
  EXPECT_EQ(pool_.RemoveFreeSegment(), Segment(nullptr, 0));
  pool_.Give(block, 600);
  EXPECT_EQ(pool_.RemoveFreeSegment(), Segment(First(), 1000));
  EXPECT_EQ(pool_.Take(1), nullptr);
}

TEST_F(SegmentPoolTest, BlocksNeverOverlapAndAllComeBack) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::map<std::byte*, size_t> taken;
  for (int step = 0; step < 20'000; ++step) {
    const size_t bytes = 1 + random() % 120;
    if (random() % 2 == 0) {
      auto* const block = static_cast<std::byte*>(pool_.Take(bytes));
      if (block == nullptr) continue;
      const auto [at, is_new] = taken.emplace(block, bytes);
      ASSERT_TRUE(is_new);
      if (at != taken.begin()) {
        const auto before = std::prev(at);
        ASSERT_LE(before->first + before->second, block);
      }
      if (const auto after = std::next(at); after != taken.end()) {
        ASSERT_LE(block + bytes, after->first);
      }
    } else if (!taken.empty()) {
      auto block = taken.lower_bound(First() + random() % 1500);
      if (block == taken.end()) block = taken.begin();
      pool_.Give(block->first, block->second);
      taken.erase(block);
    }
  }
  for (const auto& [block, bytes] : taken) pool_.Give(block, bytes);
  EXPECT_EQ(pool_.Take(500), Second());
  EXPECT_EQ(pool_.Take(1000), First());
}

}  // namespace
}  // namespace lemma
