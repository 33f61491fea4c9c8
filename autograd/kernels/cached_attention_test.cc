#include "autograd/kernels/cached_attention.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace lemma::kernels {
namespace {

constexpr int64_t kBatch = 2, kHeads = 4, kWidth = 3, kCapacity = 20;

// A cache of its own, and what comes out of it.
struct Cache {
  std::vector<float> keys = std::vector<float>(kBatch * kHeads * kWidth * CachedColumns(kCapacity));
  std::vector<float> values = std::vector<float>(kBatch * kHeads * kCapacity * kWidth);
  std::vector<float> out = {};

  CachedAttentionArgs<float> Args(int64_t positions, int64_t length,
                                  const std::vector<float>& qkv) {
    out.assign(kBatch * positions * kHeads * kWidth, 0);
    return {.batch = kBatch,
            .heads = kHeads,
            .width = kWidth,
            .positions = positions,
            .length = length,
            .capacity = kCapacity,
            .qkv = qkv.data(),
            .keys = keys.data(),
            .values = values.data(),
            .out = out.data()};
  }
};

TEST(CachedAttention, SomeHeadsAtATimeAreAllAtOnce) {
  Cache all, parts;
  int64_t length = 0;
  for (const int64_t positions : {1, 3, 1, 13}) {
    std::vector<float> qkv(kBatch * positions * 3 * kHeads * kWidth);
    for (size_t i = 0; i < qkv.size(); ++i) {
      qkv[i] = static_cast<float>((i * 37 + length) % 23) / 10 - 1;
    }
    CachedAttention(all.Args(positions, length, qkv), 0, kHeads);
    const CachedAttentionArgs<float> args = parts.Args(positions, length, qkv);
    CachedAttention(args, 2, kHeads);
    CachedAttention(args, 0, 1);
    CachedAttention(args, 1, 2);
    EXPECT_EQ(parts.out, all.out) << length << " + " << positions;
    EXPECT_EQ(parts.keys, all.keys);
    EXPECT_EQ(parts.values, all.values);
    length += positions;
  }
}

}  // namespace
}  // namespace lemma::kernels
