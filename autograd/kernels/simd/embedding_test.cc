#include "autograd/kernels/simd/embedding.h"

#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/embedding.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

constexpr int64_t kRows = 11;

std::vector<int64_t> Index(int64_t count) {
  std::vector<int64_t> index(count);
  for (int64_t i = 0; i < count; ++i) index[i] = i * i % kRows;
  return index;
}

TEST(Embedding, GatherAndScatterAddHaveTheBitsOfTheReference) {
  ForEachTarget([&] {
    for (const int64_t columns : kOddSizes) {
      for (const int64_t count : {1, 7, 100}) {
        const auto table = RandomFloats(kRows * columns), src = RandomFloats(count * columns, 1, 2);
        const auto index = Index(count);
        std::vector<float> actual(count * columns), expected(count * columns);
        GatherRows(count, columns, table.data(), index.data(), actual.data());
        reference::GatherRows<float>(count, columns, table.data(), index.data(), expected.data());
        EXPECT_EQ(actual, expected);
        auto actual_table = table, expected_table = table;
        ScatterAddRows(count, columns, src.data(), index.data(), kRows, actual_table.data());
        reference::ScatterAddRows<float>(count, columns, src.data(), index.data(), kRows,
                                         expected_table.data());
        EXPECT_EQ(actual_table, expected_table);
      }
    }
  });
}

TEST(Embedding, SameBitsForAnyNumberOfThreads) {
  const auto src = RandomFloats(5000 * 130);
  const auto index = Index(5000);
  ExpectSameBitsForAnyThreads([&] {
    std::vector<float> table(kRows * 130);
    ScatterAddRows(5000, 130, src.data(), index.data(), kRows, table.data());
    return table;
  });
}

}  // namespace
}  // namespace lemma::kernels::simd
