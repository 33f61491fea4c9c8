#include "autograd/kernels/simd/few_rows.h"

#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/matmul.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace lemma::kernels::simd {
namespace {

// The product of numbers that are the same for the same sizes. What lies between the rows of c
// is 7.
struct Case {
  Case(int64_t m, int64_t n, int64_t k)
      : x(RandomFloats(m * (k + 3), 1, 1)),
        w(RandomFloats(n * (k + 1), 1, 2)),
        bias(RandomFloats(n, 1, 3)),
        c(m * (n + 5), 7.0f),
        product{.m = m,
                .n = n,
                .k = k,
                .x = x.data(),
                .x_row = k + 3,
                .w = w.data(),
                .w_row = k + 1,
                .bias = bias.data(),
                .c = c.data(),
                .c_row = n + 5} {}
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  std::vector<float> Computed() {
    MultiplyFewRows(product);
    return c;
  }

  const std::vector<float> x, w, bias;
  std::vector<float> c;
  FewRowsProduct product;
};

TEST(FewRows, AgreesWithTheDefinition) {
  ForEachTarget([&] {
    for (const int64_t m : {1, 7, 8, 16, 19, 32, 48, 64, 80}) {
      for (const int64_t n : {1, 11, 12, 16, 65, 130}) {
        for (const int64_t k : {1, 5, 16, 100}) {
          SCOPED_TRACE(testing::Message() << m << " x " << n << " of depth " << k);
          Case given(m, n, k);
          const FewRowsProduct& p = given.product;
          for (const float* bias : {p.bias, static_cast<const float*>(nullptr)}) {
            given.product.bias = bias;
            std::vector<float> expected = given.c;
            reference::MatMul<float, float>(m, n, k, p.x, p.x_row, 1, p.w, 1, p.w_row,
                                            expected.data(), p.c_row, bias, false);
            const std::vector<float> actual = given.Computed();
            for (size_t i = 0; i < expected.size(); ++i) {
              ASSERT_NEAR(actual[i], expected[i], 2e-6f * static_cast<float>(k)) << i;
            }
          }
        }
      }
    }
  });
}

TEST(FewRows, ARowHasTheSameBitsAmongOthers) {
  ForEachTarget([&] {
    std::vector<float> rows = Case(64, 130, 100).Computed();
    const std::vector<float> first = Case(16, 130, 100).Computed();
    rows.resize(first.size());
    EXPECT_EQ(rows, first);
  });
}

TEST(FewRows, SameBitsForAnyNumberOfThreads) {
  ExpectSameBitsForAnyThreads([&] { return Case(48, 300, 200).Computed(); });
  ExpectSameBitsForAnyThreads([&] { return Case(64, 700, 1500).Computed(); });
}

TEST(FewRows, PayForUpToSixtyFourRowsThatFillVectors) {
  const bool has_avx3 = (hwy::SupportedTargets() & HWY_AVX3) != 0;
  const bool has_avx2 = (hwy::SupportedTargets() & HWY_AVX2) != 0;
  std::vector<bool> pay;
  ForEachTarget([&] { pay.push_back(FewRowsPay(64, 128, 128)); });
  EXPECT_EQ(pay, (std::vector<bool>{has_avx3 || has_avx2, has_avx2, false}));
  EXPECT_FALSE(FewRowsPay(80, 128, 128));
  EXPECT_FALSE(FewRowsPay(63, 128, 128));
  EXPECT_FALSE(FewRowsPay(64, 128, 4));
  EXPECT_FALSE(FewRowsPay(64, 128, 50000));
}

}  // namespace
}  // namespace lemma::kernels::simd
