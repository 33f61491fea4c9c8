#include "autograd/kernels/simd/elementwise.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/kernels/reference/elementwise.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

TEST(Elementwise, SumsAndScalingsAgreeWithTheReference) {
  ForEachTarget([&] {
    for (const int64_t n : kOddSizes) {
      SCOPED_TRACE(n);
      const auto x = RandomFloats(n), y = RandomFloats(n, 1, 2);
      auto actual = y, expected = y;
      AddInto(n, x.data(), actual.data());
      reference::AddInto<float>(n, x.data(), expected.data());
      EXPECT_EQ(actual, expected);
      AddArrays(n, x.data(), y.data(), actual.data());
      reference::AddArrays<float>(n, x.data(), y.data(), expected.data());
      EXPECT_EQ(actual, expected);
      Axpy(n, 0.3f, x.data(), actual.data());
      reference::Axpy<float>(n, 0.3f, x.data(), expected.data());
      ExpectClose(actual, expected, 1e-6);
      ScaleArray(n, 0.3f, x.data(), actual.data());
      reference::ScaleArray<float>(n, 0.3f, x.data(), expected.data());
      EXPECT_EQ(actual, expected);
    }
  });
}

TEST(Elementwise, ColumnSumsAgreeWithTheReference) {
  ForEachTarget([&] {
    for (const int64_t rows : {1, 5, 32, 33, 257}) {
      for (const int64_t columns : kOddSizes) {
        const auto x = RandomFloats(rows * columns);
        auto actual = RandomFloats(columns, 1, 2);
        const auto xd = Cast<double>(x);
        auto expected = Cast<double>(actual);
        ColumnSumInto(rows, columns, x.data(), actual.data());
        reference::ColumnSumInto<double>(rows, columns, xd.data(), expected.data());
        ExpectClose(actual, expected, 2e-5);
      }
    }
  });
}

TEST(Elementwise, DropoutKeepsAndScalesAndHidesEvenNan) {
  ForEachTarget([&] {
    for (const int64_t n : kOddSizes) {
      auto x = RandomFloats(n);
      x[0] = std::numeric_limits<float>::quiet_NaN();
      std::vector<float> keep(n, 1.0f), actual(n), expected(n);
      for (int64_t i = 0; i < n; i += 3) keep[i] = 0.0f;
      DropoutApply(n, x.data(), keep.data(), 1.25f, actual.data());
      reference::DropoutApply<float>(n, x.data(), keep.data(), 1.25f, expected.data());
      EXPECT_EQ(actual, expected);
      EXPECT_EQ(actual[0], 0.0f);
    }
  });
}

TEST(Elementwise, SameBitsForAnyNumberOfThreads) {
  const auto x = RandomFloats(40000 * 5);
  ExpectSameBitsForAnyThreads([&] {
    std::vector<float> sum(5);
    ColumnSumInto(40000, 5, x.data(), sum.data());
    return sum;
  });
  ExpectSameBitsForAnyThreads([&] {
    auto y = x;
    Axpy(static_cast<int64_t>(x.size()), 0.3f, x.data(), y.data());
    return y;
  });
}

}  // namespace
}  // namespace lemma::kernels::simd
