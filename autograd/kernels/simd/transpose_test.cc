#include "autograd/kernels/simd/transpose.h"

#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/transpose.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

TEST(Transpose, HasTheBitsOfTheReference) {
  ForEachTarget([&] {
    for (const int64_t rows : kOddSizes) {
      for (const int64_t columns : kOddSizes) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns);
        const int64_t x_stride = columns + 3, y_stride = rows + 5;
        const auto x = RandomFloats(rows * x_stride);
        // What lies between the rows of the output stays as it was.
        std::vector<float> actual(columns * y_stride, 7.0f), expected = actual;
        Transpose(rows, columns, x.data(), x_stride, actual.data(), y_stride);
        reference::Transpose<float>(rows, columns, x.data(), x_stride, expected.data(), y_stride);
        ASSERT_EQ(actual, expected);
      }
    }
  });
}

TEST(Transpose, SwappedMiddleAxesHaveTheBitsOfTheReference) {
  ForEachTarget([&] {
    for (const int64_t inner : kOddSizes) {
      const auto x = RandomFloats(2 * 5 * 3 * inner);
      std::vector<float> actual(x.size()), expected(x.size());
      SwapMiddleAxes(2, 5, 3, inner, x.data(), actual.data());
      reference::SwapMiddleAxes<float>(2, 5, 3, inner, x.data(), expected.data());
      ASSERT_EQ(actual, expected);
    }
  });
}

TEST(Transpose, SameBitsForAnyNumberOfThreads) {
  const auto x = RandomFloats(500 * 300);
  ExpectSameBitsForAnyThreads([&] {
    std::vector<float> y(x.size());
    Transpose(500, 300, x.data(), 300, y.data(), 500);
    return y;
  });
}

}  // namespace
}  // namespace lemma::kernels::simd
