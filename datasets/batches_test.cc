#include "datasets/batches.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace lemma::datasets {
namespace {

std::vector<int64_t> Iota(int64_t n) {
  std::vector<int64_t> tokens(n);
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

// PyTorch 2.15: torch.manual_seed(seed); torch.randint(1115394 - 64, (12,)).
TEST(BatchSampler, DrawsTheStartsThatTheCourseDraws) {
  const std::vector<int64_t> tokens = Iota(1115394);
  const std::vector<std::pair<uint64_t, std::vector<int64_t>>> golden = {
      {0,
       {443754, 1065179, 96113, 155930, 168033, 913389, 293087, 712043, 480267, 278353, 268391,
        218466}},
      {1,
       {991195, 8939, 960034, 153338, 491263, 432623, 264371, 171831, 150309, 159462, 649098,
        192339}},
      {1337,
       {19445, 574817, 75862, 717060, 25865, 358723, 847575, 913110, 138954, 498110, 281532,
        153720}},
      {2147483659,
       {628358, 766301, 410028, 320569, 822933, 404121, 536901, 981259, 498115, 1113819, 981170,
        142073}},
      {1099511627781,
       {961591, 546854, 65277, 354555, 49326, 776070, 481582, 774803, 889688, 989554, 817729,
        861840}},
  };
  for (const auto& [seed, starts] : golden) {
    BatchSampler sampler = BatchSampler::Create(tokens, 12, 64, seed).value();
    Batch batch;
    sampler.Next(&batch);
    ASSERT_EQ(batch.rows, 12);
    ASSERT_EQ(batch.length, 64);
    ASSERT_EQ(batch.inputs.size(), 12u * 64);
    ASSERT_EQ(batch.targets.size(), 12u * 64);
    for (int row = 0; row < 12; ++row) {
      for (int t = 0; t < 64; ++t) {
        EXPECT_EQ(batch.inputs[row * 64 + t], starts[row] + t);
        EXPECT_EQ(batch.targets[row * 64 + t], starts[row] + t + 1);
      }
    }
  }
}

TEST(BatchSampler, ContinuesFromItsState) {
  const std::vector<int64_t> tokens = Iota(1000);
  BatchSampler first = BatchSampler::Create(tokens, 3, 8, 5).value();
  Batch a, b;
  for (int i = 0; i < 250; ++i) first.Next(&a);  // past one refill of the generator's 624 words
  BatchSampler second = BatchSampler::Create(tokens, 3, 8, 99).value();
  ASSERT_TRUE(second.SetState(first.State()).ok());
  for (int i = 0; i < 250; ++i) {
    first.Next(&a);
    second.Next(&b);
    ASSERT_EQ(a.inputs, b.inputs);
    ASSERT_EQ(a.targets, b.targets);
  }
  EXPECT_FALSE(second.SetState("nonsense").ok());
}

TEST(BatchSampler, ReachesTheFirstAndTheLastWindow) {
  const std::vector<int64_t> tokens = Iota(6);  // starts 0, 1, 2 with a context of 3
  BatchSampler sampler = BatchSampler::Create(tokens, 1, 3, 1).value();
  std::vector<int> seen(3, 0);
  Batch batch;
  for (int i = 0; i < 100; ++i) {
    sampler.Next(&batch);
    ++seen.at(batch.inputs[0]);
  }
  for (int count : seen) EXPECT_GT(count, 10);
}

TEST(BatchSampler, SaysHowManyTokensThereAreAndHowManyAreNeeded) {
  const std::vector<int64_t> tokens = Iota(64);
  EXPECT_EQ(Message(BatchSampler::Create(tokens, 12, 64, 0).status()),
            "there are 64 tokens, and batches with a context of 64 need at least 65");
  EXPECT_TRUE(BatchSampler::Create(tokens, 12, 63, 0).ok());
  EXPECT_EQ(Message(BatchSampler::Create({}, 1, 1, 0).status()),
            "there are 0 tokens, and batches with a context of 1 need at least 2");
  EXPECT_EQ(Message(BatchSampler::Create(tokens, 0, 8, 0).status()),
            "a batch of 0 rows of 8 tokens: both must be at least 1");
}

TEST(WindowReader, EveryTargetComesOnceAndInOrder) {
  for (int64_t size : {0, 1, 2, 7, 8, 9, 10, 64, 65, 66, 129, 200}) {
    for (int64_t context : {1, 2, 8, 64, 1000}) {
      for (int64_t max_rows : {1, 3, 100}) {
        const std::vector<int64_t> tokens = Iota(size);
        WindowReader reader(tokens, context);
        std::vector<int64_t> targets;
        Batch batch;
        while (reader.Next(max_rows, &batch)) {
          ASSERT_LE(batch.rows, max_rows);
          ASSERT_LE(batch.length, context);
          ASSERT_EQ(static_cast<int64_t>(batch.inputs.size()), batch.rows * batch.length);
          for (size_t i = 0; i < batch.inputs.size(); ++i) {
            ASSERT_EQ(batch.targets[i], batch.inputs[i] + 1);
          }
          targets.insert(targets.end(), batch.targets.begin(), batch.targets.end());
        }
        std::vector<int64_t> expected = Iota(size);
        if (!expected.empty()) expected.erase(expected.begin());
        ASSERT_EQ(targets, expected) << size << " " << context << " " << max_rows;
        ASSERT_EQ(reader.targets(), static_cast<int64_t>(expected.size()));
      }
    }
  }
}

TEST(WindowReader, TheLastShortWindowIsABatchOfItsOwn) {
  const std::vector<int64_t> tokens = Iota(12);  // 11 targets: 4 + 4 + 3
  WindowReader reader(tokens, 4);
  Batch batch;
  ASSERT_TRUE(reader.Next(10, &batch));
  EXPECT_EQ(batch.rows, 2);
  EXPECT_EQ(batch.length, 4);
  ASSERT_TRUE(reader.Next(10, &batch));
  EXPECT_EQ(batch.rows, 1);
  EXPECT_EQ(batch.inputs, (std::vector<int64_t>{8, 9, 10}));
  EXPECT_FALSE(reader.Next(10, &batch));
}

}  // namespace
}  // namespace lemma::datasets
