#include "autograd/mt19937.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

constexpr uint64_t kSeeds[] = {0, 1, 1337, 5489, 0xffffffffu};

TEST(Mt19937, TenThousandthWordIsTheOneOfTheStandard) {
  Mt19937 engine(5489);
  for (int i = 1; i < 10000; ++i) engine.Next();
  EXPECT_EQ(engine.Next(), 4123659995u);
}

TEST(Mt19937, WordsAreThoseOfTheStandardLibrary) {
  for (uint64_t seed : kSeeds) {
    Mt19937 engine(seed);
    std::mt19937 standard(static_cast<uint32_t>(seed));
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(engine.Next(), standard()) << seed << " " << i;
  }
}

TEST(Mt19937, OnlyTheLow32BitsOfASeedChooseTheStream) {
  Mt19937 a(7);
  Mt19937 b((uint64_t{5} << 32) | 7);
  EXPECT_EQ(b.seed(), (uint64_t{5} << 32) | 7);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(a.Next(), b.Next());
}

TEST(Mt19937, FillGivesTheWordsOfNextInPiecesOfAnySize) {
  Mt19937 one(3);
  Mt19937 many(3);
  for (size_t size : {1, 7, 0, 616, 1, 623, 624, 625, 5000, 2}) {
    std::vector<uint32_t> words(size);
    many.Fill(absl::MakeSpan(words));
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(words[i], one.Next()) << size << " " << i;
    ASSERT_EQ(many.left(), one.left());
    ASSERT_EQ(many.next(), one.next());
  }
}

TEST(Mt19937, Next64HasTheFirstWordInTheHighHalf) {
  Mt19937 a(11);
  Mt19937 b(11);
  const uint64_t high = a.Next();
  const uint64_t low = a.Next();
  EXPECT_EQ(b.Next64(), (high << 32) | low);
}

TEST(Mt19937, CountersStartAtOneAndZeroAndSumTo625AfterADraw) {
  Mt19937 engine(2);
  EXPECT_EQ(engine.left(), 1);
  EXPECT_EQ(engine.next(), 0);
  for (int i = 1; i <= 1300; ++i) {
    EXPECT_TRUE(Mt19937::Consistent(engine.left(), engine.next()));
    engine.Next();
    EXPECT_EQ(engine.next(), (i - 1) % 624 + 1);
    EXPECT_EQ(engine.left(), 625 - engine.next());
  }
}

TEST(Mt19937, ConsistentRefusesWhatNoEngineHas) {
  EXPECT_FALSE(Mt19937::Consistent(0, 625));
  EXPECT_FALSE(Mt19937::Consistent(625, 0));
  EXPECT_FALSE(Mt19937::Consistent(2, 0));
  EXPECT_FALSE(Mt19937::Consistent(1, 623));
  EXPECT_FALSE(Mt19937::Consistent(-1, 626));
  EXPECT_TRUE(Mt19937::Consistent(1, 624));
}

TEST(Mt19937, ContinuesFromItsParts) {
  Mt19937 engine(9);
  for (int i = 0; i < 700; ++i) engine.Next();
  Mt19937 copy(engine.seed(), engine.left(), engine.next(), engine.words());
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(copy.Next(), engine.Next());
}

}  // namespace
}  // namespace lemma
