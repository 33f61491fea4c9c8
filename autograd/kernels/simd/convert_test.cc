#include "autograd/kernels/simd/convert.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

std::vector<float> Floats() {
  std::vector<float> x = RandomFloats(5000);
  for (const uint32_t word : {0x3f808000u, 0x3f818000u, 0x3f807fffu, 0x3f808001u, 0x7f7fffffu,
                              0x7f800001u, 0xff800000u, 0x00000001u, 0x80008000u, 0x7fffffffu}) {
    x.push_back(std::bit_cast<float>(word));
  }
  x.push_back(std::numeric_limits<float>::quiet_NaN());
  return x;
}

TEST(Convert, ToBFloat16HasTheBitsOfTheConstructor) {
  const std::vector<float> x = Floats();
  ForEachTarget([&] {
    std::vector<BFloat16> y(x.size());
    Convert(static_cast<int64_t>(x.size()), x.data(), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(y[i].bits, BFloat16(x[i]).bits) << x[i];
    }
  });
}

TEST(Convert, ToFloatIsExactForEveryPattern) {
  std::vector<BFloat16> x(65536);
  for (size_t i = 0; i < x.size(); ++i) x[i].bits = static_cast<uint16_t>(i);
  ForEachTarget([&] {
    std::vector<float> y(x.size());
    Convert(static_cast<int64_t>(x.size()), x.data(), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), static_cast<uint32_t>(i) << 16);
    }
  });
}

TEST(Convert, WritesNothingBehindTheEnd) {
  ForEachTarget([&] {
    for (const int64_t n : kOddSizes) {
      const std::vector<float> x(n, 1.0f);
      std::vector<BFloat16> y(n + 1, BFloat16(7.0f));
      Convert(n, x.data(), y.data());
      EXPECT_EQ(static_cast<float>(y[n]), 7.0f);
    }
  });
}

}  // namespace
}  // namespace lemma::kernels::simd
