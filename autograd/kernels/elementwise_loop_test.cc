#include "autograd/kernels/elementwise_loop.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace lemma::kernels {
namespace {

// The position, in elements, of row-major element `flat` of an array with these strides.
int64_t Position(int64_t flat, const std::vector<int64_t>& sizes,
                 const std::vector<int64_t>& strides) {
  int64_t position = 0;
  for (size_t d = sizes.size(); d-- > 0;) {
    position += flat % sizes[d] * strides[d];
    flat /= sizes[d];
  }
  return position;
}

// Strides of an array whose dimensions lie in a random order in memory, some of them with a gap,
// and, where `may_repeat`, some repeated.
std::vector<int64_t> RandomStrides(const std::vector<int64_t>& sizes, bool may_repeat,
                                   std::mt19937& random) {
  std::vector<size_t> order(sizes.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = random() % 4 == 0 ? 2 : 1;
  for (size_t k = order.size(); k-- > 0;) {
    const size_t d = order[k];
    const bool repeat = may_repeat && random() % 4 == 0;
    strides[d] = repeat ? 0 : stride;
    if (!repeat) stride *= sizes[d];
  }
  return strides;
}

std::vector<float> Memory(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  int64_t last = 0;
  for (size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * strides[d];
  std::vector<float> memory(last + 1);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i) + 1;
  return memory;
}

TEST(ElementwiseLoop, VisitsEveryElementOnceAtAnyStrides) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<int64_t> sizes(random() % 6);
    int64_t n = 1;
    for (int64_t& size : sizes) n *= size = 1 + random() % 4;
    const auto y_strides = RandomStrides(sizes, false, random);
    const auto a_strides = RandomStrides(sizes, true, random);
    const auto b_strides = RandomStrides(sizes, true, random);
    const auto c_strides = RandomStrides(sizes, true, random);
    std::vector<float> y = Memory(sizes, y_strides);
    const std::vector<float> a = Memory(sizes, a_strides), b = Memory(sizes, b_strides),
                             c = Memory(sizes, c_strides);
    std::fill(y.begin(), y.end(), -1.0f);
    std::vector<float> expected = y;
    const bool three = random() % 2 == 0;
    for (int64_t i = 0; i < n; ++i) {
      const float u = a[Position(i, sizes, a_strides)], v = b[Position(i, sizes, b_strides)];
      expected[Position(i, sizes, y_strides)] =
          100 * u + v + (three ? 0.25f * c[Position(i, sizes, c_strides)] : 0);
    }
    const StridedArray<float> out = {y.data(), y_strides.data()};
    const StridedArray<const float> in_a = {a.data(), a_strides.data()};
    const StridedArray<const float> in_b = {b.data(), b_strides.data()};
    const StridedArray<const float> in_c = {c.data(), c_strides.data()};
    if (three) {
      ElementwiseLoop(
          sizes, [](float u, float v, float w) { return 100 * u + v + 0.25f * w; }, out, in_a, in_b,
          in_c);
    } else {
      ElementwiseLoop(
          sizes, [](float u, float v) { return 100 * u + v; }, out, in_a, in_b);
    }
    ASSERT_EQ(y, expected) << "trial " << trial;
  }
}

TEST(ElementwiseLoop, MergesWhatLiesTogether) {
  const int64_t dense[] = {12, 4, 1}, row[] = {0, 0, 1}, column[] = {3, 1, 0};
  const std::vector<int64_t> sizes = {2, 3, 4};
  EXPECT_EQ((internal::CollapseDims<2>(sizes, {dense, dense}).size()), 1);
  EXPECT_EQ((internal::CollapseDims<2>(sizes, {dense, row}).size()), 2);
  EXPECT_EQ((internal::CollapseDims<2>(sizes, {dense, column}).size()), 2);
  EXPECT_EQ((internal::CollapseDims<3>(sizes, {dense, row, column}).size()), 2);
  const int64_t gap[] = {24, 4, 1};
  EXPECT_EQ((internal::CollapseDims<2>(sizes, {dense, gap}).size()), 2);
}

TEST(ElementwiseLoop, SharesLargeArraysOutWithoutAGap) {
  const int64_t rows = 301, columns = 1000;
  std::vector<float> x(rows * columns), y(rows * columns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1013);
  ElementwiseFlat(
      rows * columns, [](float v) { return v + 1; }, y.data(), x.data());
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] + 1) << i;
  const int64_t dense[] = {columns, 1}, column[] = {columns, 0};
  ElementwiseLoop(
      {rows, columns}, [](float v, float w) { return v - w; }, StridedArray<float>{y.data(), dense},
      StridedArray<const float>{x.data(), dense}, StridedArray<const float>{x.data(), column});
  for (int64_t i = 0; i < rows * columns; ++i) {
    ASSERT_EQ(y[i], x[i] - x[i / columns * columns]) << i;
  }
}

TEST(ElementwiseLoop, MayWriteOverItsInput) {
  for (int64_t n : {1, 3, 16, 37, 100000}) {
    std::vector<float> x(n);
    for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i);
    ElementwiseFlat(
        n, [](float a, float b) { return a + 2 * b; }, x.data(), x.data(), x.data());
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(x[i], 3 * static_cast<float>(i));
  }
}

}  // namespace
}  // namespace lemma::kernels
