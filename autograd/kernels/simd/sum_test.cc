#include "autograd/kernels/simd/sum.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/reference/sum.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

struct Sizes {
  int64_t outer, n, inner;
};

// Rows, columns and both, in one block, in halves and in chunks.
constexpr Sizes kSizes[] = {{1, 1, 1},      {3, 7, 1},       {5, 513, 1},   {2, 70000, 1},
                            {1, 200001, 1}, {1, 3, 5},       {1, 64, 130},  {1, 65, 17},
                            {3, 200, 33},   {1, 1000, 1027}, {1, 70001, 2}, {2, 5000, 20},
                            {4, 2, 3000},   {1, 70000, 129}};

std::vector<float> SumOf(const Sizes& s, const std::vector<float>& x) {
  std::vector<float> out(s.outer * s.inner, -7.0f);
  SumMiddle(s.outer, s.n, s.inner, x.data(), out.data());
  return out;
}

TEST(Sum, AgreesWithDoubleToFewRoundings) {
  ForEachTarget([] {
    for (const Sizes& s : kSizes) {
      SCOPED_TRACE(testing::Message() << s.outer << " " << s.n << " " << s.inner);
      std::vector<float> x = RandomFloats(s.outer * s.n * s.inner);
      for (float& value : x) value = std::fabs(value);
      std::vector<double> expected(s.outer * s.inner);
      reference::SumMiddle<float, double>(s.outer, s.n, s.inner, x.data(), expected.data());
      ExpectClose(SumOf(s, x), expected, 0, 4e-7);
    }
  });
}

TEST(Sum, OfAMillionTenthsIsRightToSevenDigits) {
  const std::vector<float> x(1 << 20, 0.1f);
  const double exact = static_cast<double>(0.1f) * (1 << 20);
  ForEachTarget([&] {
    EXPECT_NEAR(SumOf({1, 1 << 20, 1}, x)[0], exact, 1e-7 * exact);
    EXPECT_NEAR(SumOf({1, 1 << 16, 16}, x)[3], exact / 16, 1e-7 * exact / 16);
  });
}

TEST(Sum, HasTheSameBitsForAnyNumberOfThreads) {
  const int before = NumThreads();
  for (const Sizes& s : kSizes) {
    const std::vector<float> x = RandomFloats(s.outer * s.n * s.inner);
    SetNumThreads(1);
    const std::vector<float> expected = SumOf(s, x);
    for (const int threads : {2, 3, 5}) {
      SetNumThreads(threads);
      EXPECT_EQ(SumOf(s, x), expected) << s.n << " " << s.inner << ", " << threads << " threads";
    }
  }
  SetNumThreads(before);
}

TEST(Sum, OfNothingIsZero) {
  EXPECT_EQ(SumOf({2, 0, 3}, {}), std::vector<float>(6, 0.0f));
  EXPECT_EQ(SumOf({2, 0, 1}, {}), std::vector<float>(2, 0.0f));
  EXPECT_TRUE(SumOf({0, 5, 2}, {}).empty());
}

TEST(Sum, PassesNanAndInfinityOn) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(SumOf({1, 3, 1}, {1, infinity, 2})[0], infinity);
  EXPECT_TRUE(std::isnan(SumOf({1, 3, 1}, {infinity, -infinity, 2})[0]));
  const std::vector<float> columns = SumOf({1, 2, 2}, {std::nanf(""), 1, 2, 3});
  EXPECT_TRUE(std::isnan(columns[0]));
  EXPECT_EQ(columns[1], 4);
}

}  // namespace
}  // namespace lemma::kernels::simd
