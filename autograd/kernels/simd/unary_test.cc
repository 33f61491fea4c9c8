#include "autograd/kernels/simd/unary.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/unary.h"
#include "autograd/kernels/simd/testing.h"
#include "autograd/kernels/unary_function.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

constexpr UnaryFunction kFunctions[] = {
    UnaryFunction::kExp, UnaryFunction::kLog,  UnaryFunction::kTanh, UnaryFunction::kSigmoid,
    UnaryFunction::kErf, UnaryFunction::kSilu, UnaryFunction::kRelu};

TEST(Unary, ForwardAndBackwardAgreeWithTheReference) {
  ForEachTarget([&] {
    for (const UnaryFunction function : kFunctions) {
      for (const int64_t n : kOddSizes) {
        for (const bool accumulate : {false, true}) {
          SCOPED_TRACE(testing::Message() << "function " << static_cast<int>(function));
          auto x = RandomFloats(n, 2.0f);
          if (function == UnaryFunction::kLog) {
            for (float& value : x) value = 0.1f + std::fabs(value);
          }
          const auto dy = RandomFloats(n, 1.0f, 2);
          auto dx = RandomFloats(n, 1.0f, 3);
          const auto xd = Cast<double>(x), dyd = Cast<double>(dy);
          auto dxd = Cast<double>(dx);
          std::vector<float> y(n);
          std::vector<double> yd(n);
          UnaryForward(function, n, x.data(), y.data());
          UnaryBackward(function, n, NeedsInput(function) ? x.data() : nullptr,
                        NeedsInput(function) ? nullptr : y.data(), dy.data(), dx.data(),
                        accumulate);
          reference::UnaryForward<double>(function, n, xd.data(), yd.data());
          reference::UnaryBackward<double>(function, n, xd.data(), yd.data(), dyd.data(),
                                           dxd.data(), accumulate);
          ExpectClose(y, yd, 1e-7, 5e-7);
          ExpectClose(dx, dxd, 1e-6, 1e-6);
        }
      }
    }
  });
}

TEST(Unary, SameBitsForAnyNumberOfThreads) {
  const auto x = RandomFloats(50001, 3.0f);
  for (const UnaryFunction function : kFunctions) {
    ExpectSameBitsForAnyThreads([&] {
      auto y = x;
      UnaryForward(function, 50001, x.data(), y.data());
      return y;
    });
  }
}

}  // namespace
}  // namespace lemma::kernels::simd
