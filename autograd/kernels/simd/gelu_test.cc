#include "autograd/kernels/simd/gelu.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/kernels/reference/gelu.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Gelu, AgreesWithTheReference) {
  ForEachTarget([&] {
    for (const GeluForm form : {GeluForm::kExact, GeluForm::kTanh}) {
      for (const int64_t n : kOddSizes) {
        for (const bool accumulate : {false, true}) {
          SCOPED_TRACE(testing::Message() << n << " elements, form " << static_cast<int>(form));
          const auto x = RandomFloats(n, 3.0f), dy = RandomFloats(n, 1.0f, 2);
          auto dx = RandomFloats(n, 1.0f, 3);
          std::vector<float> y(n);
          const auto xd = Cast<double>(x), dyd = Cast<double>(dy);
          auto dxd = Cast<double>(dx);
          std::vector<double> yd(n);
          GeluForward(n, x.data(), y.data(), form);
          GeluBackward(n, x.data(), dy.data(), dx.data(), form, accumulate);
          reference::GeluForward<double>(n, xd.data(), yd.data(), form);
          reference::GeluBackward<double>(n, xd.data(), dyd.data(), dxd.data(), form, accumulate);
          ExpectClose(y, yd, 1e-7, 6e-7);
          ExpectClose(dx, dxd, 1e-6, 1e-6);
        }
      }
    }
  });
}

TEST(Gelu, WorksInPlace) {
  const auto x = RandomFloats(100, 3.0f), dy = RandomFloats(100, 1.0f, 2);
  std::vector<float> y(100), dx(100), y_in_place = x, dx_in_place = dy;
  GeluForward(100, x.data(), y.data(), GeluForm::kExact);
  GeluForward(100, y_in_place.data(), y_in_place.data(), GeluForm::kExact);
  GeluBackward(100, x.data(), dy.data(), dx.data(), GeluForm::kExact, false);
  GeluBackward(100, x.data(), dx_in_place.data(), dx_in_place.data(), GeluForm::kExact, false);
  EXPECT_EQ(y, y_in_place);
  EXPECT_EQ(dx, dx_in_place);
}

TEST(Gelu, FarValuesAreXAndZeroAndNanStays) {
  const std::vector<float> x = {kInfinity, 1e30f, 50.0f, -50.0f, -1e30f, -kInfinity, std::nanf("")};
  const std::vector<float> dy(x.size(), 1.0f);
  ForEachTarget([&] {
    for (const GeluForm form : {GeluForm::kExact, GeluForm::kTanh}) {
      std::vector<float> y(x.size()), dx(x.size());
      GeluForward(static_cast<int64_t>(x.size()), x.data(), y.data(), form);
      GeluBackward(static_cast<int64_t>(x.size()), x.data(), dy.data(), dx.data(), form, false);
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(y[i], x[i]);
        EXPECT_EQ(dx[i], 1.0f);
      }
      for (int i = 3; i < 6; ++i) {
        EXPECT_EQ(y[i], 0.0f);
        EXPECT_EQ(dx[i], 0.0f);
      }
      EXPECT_TRUE(std::isnan(y[6]));
      EXPECT_TRUE(std::isnan(dx[6]));
    }
  });
}

TEST(Gelu, SameBitsForAnyNumberOfThreads) {
  const auto x = RandomFloats(50001, 3.0f);
  ExpectSameBitsForAnyThreads([&] {
    auto y = x;
    GeluForward(50001, x.data(), y.data(), GeluForm::kExact);
    GeluBackward(50001, x.data(), x.data(), y.data(), GeluForm::kExact, true);
    return y;
  });
}

}  // namespace
}  // namespace lemma::kernels::simd
