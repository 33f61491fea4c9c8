#include "autograd/kernels/simd/softmax.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/kernels/reference/softmax.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename Kernel>
std::vector<float> Forward(const Kernel& kernel, int64_t columns, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  kernel(static_cast<int64_t>(x.size()) / columns, columns, x.data(), y.data());
  return y;
}

TEST(Softmax, ForwardAndBackwardAgreeWithTheReference) {
  ForEachTarget([&] {
    for (const int64_t columns : kOddSizes) {
      for (const bool accumulate : {false, true}) {
        SCOPED_TRACE(columns);
        const int64_t rows = 5;
        const auto x = RandomFloats(rows * columns, 3.0f), dy = RandomFloats(rows * columns, 1, 2);
        const auto xd = Cast<double>(x), dyd = Cast<double>(dy);
        auto dx = RandomFloats(rows * columns, 1, 3);
        auto dxd = Cast<double>(dx);
        std::vector<double> yd(x.size());
        reference::SoftmaxForward<double>(rows, columns, xd.data(), yd.data());
        reference::SoftmaxBackward<double>(rows, columns, dyd.data(), yd.data(), dxd.data(),
                                           accumulate);
        const auto y = Forward(SoftmaxForward, columns, x);
        SoftmaxBackward(rows, columns, dy.data(), y.data(), dx.data(), accumulate);
        ExpectClose(y, yd, 1e-37, 2e-6);
        ExpectClose(dx, dxd, 1e-6);
      }
    }
  });
}

TEST(Softmax, LogForwardAndBackwardAgreeWithTheReference) {
  ForEachTarget([&] {
    for (const int64_t columns : kOddSizes) {
      for (const bool accumulate : {false, true}) {
        SCOPED_TRACE(columns);
        const int64_t rows = 5;
        const auto x = RandomFloats(rows * columns, 3.0f), dy = RandomFloats(rows * columns, 1, 2);
        const auto xd = Cast<double>(x), dyd = Cast<double>(dy);
        auto dx = RandomFloats(rows * columns, 1, 3);
        auto dxd = Cast<double>(dx);
        std::vector<double> yd(x.size());
        reference::LogSoftmaxForward<double>(rows, columns, xd.data(), yd.data());
        reference::LogSoftmaxBackward<double>(rows, columns, dyd.data(), yd.data(), dxd.data(),
                                              accumulate);
        const auto y = Forward(LogSoftmaxForward, columns, x);
        LogSoftmaxBackward(rows, columns, dy.data(), y.data(), dx.data(), accumulate);
        ExpectClose(y, yd, 1e-6, 3e-7);
        ExpectClose(dx, dxd, 2e-5);
      }
    }
  });
}

TEST(Softmax, RowsSumToOneAndWorkInPlace) {
  auto y = RandomFloats(7 * 65, 10.0f);
  const auto expected = Forward(SoftmaxForward, 65, y);
  SoftmaxForward(7, 65, y.data(), y.data());
  EXPECT_EQ(y, expected);
  for (int r = 0; r < 7; ++r) {
    double sum = 0;
    for (int c = 0; c < 65; ++c) sum += y[r * 65 + c];
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

TEST(Softmax, MinusInfinityIsAProbabilityOfZero) {
  ForEachTarget([&] {
    const auto y = Forward(SoftmaxForward, 3, {-kInfinity, 1.0f, 1.0f});
    EXPECT_EQ(y, (std::vector<float>{0.0f, 0.5f, 0.5f}));
    const auto log_y = Forward(LogSoftmaxForward, 3, {-kInfinity, 1.0f, 1.0f});
    EXPECT_EQ(log_y[0], -kInfinity);
    EXPECT_NEAR(log_y[1], std::log(0.5), 1e-7);
  });
}

TEST(Softmax, RowsWithNanOrPlusInfinityOrOfMinusInfinityAloneAreNan) {
  ForEachTarget([&] {
    for (const int64_t columns : {3, 40}) {
      for (int64_t at = 0; at < columns; ++at) {
        for (const float bad : {kNan, kInfinity}) {
          std::vector<float> x(3 * columns, 1.0f);
          x[columns + at] = bad;
          const auto y = Forward(SoftmaxForward, columns, x);
          const auto log_y = Forward(LogSoftmaxForward, columns, x);
          for (int64_t i = 0; i < 3 * columns; ++i) {
            EXPECT_EQ(std::isnan(y[i]), i / columns == 1) << i;
            EXPECT_EQ(std::isnan(log_y[i]), i / columns == 1) << i;
          }
        }
      }
    }
    const auto y = Forward(SoftmaxForward, 2, {-kInfinity, -kInfinity});
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
  });
}

TEST(Softmax, SameBitsForAnyNumberOfThreads) {
  const auto x = RandomFloats(301 * 65, 3.0f), dy = RandomFloats(301 * 65, 1, 2);
  ExpectSameBitsForAnyThreads([&] { return Forward(SoftmaxForward, 65, x); });
  ExpectSameBitsForAnyThreads([&] {
    auto dx = x;
    LogSoftmaxBackward(301, 65, dy.data(), x.data(), dx.data(), true);
    return dx;
  });
}

}  // namespace
}  // namespace lemma::kernels::simd
