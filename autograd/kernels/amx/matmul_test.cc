#include "autograd/kernels/amx/matmul.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/dtype.h"
#include "autograd/kernels/onednn/product.h"
#include "autograd/kernels/parallel.h"
#include "gtest/gtest.h"

namespace lemma::kernels::amx {
namespace {

uint32_t Seed() {
  const char* given = std::getenv("LEMMA_TEST_SEED");
  return given == nullptr ? std::random_device()() : static_cast<uint32_t>(std::atoll(given));
}

// A product on memory of its own, every matrix padded by what must not be touched.
template <typename T, typename Out = float>
struct Case {
  Case(int64_t m, int64_t n, int64_t k, bool a_transposed, bool b_transposed, std::mt19937& engine)
      : m(m), n(n), k(k) {
    std::normal_distribution<float> normal;
    const auto fill = [&](auto& values, int64_t size) {
      using Element = typename std::decay_t<decltype(values)>::value_type;
      values.resize(static_cast<size_t>(size));
      for (Element& value : values) value = static_cast<Element>(normal(engine));
    };
    a_row = a_transposed ? 1 : k + 3, a_col = a_transposed ? m + 3 : 1;
    b_row = b_transposed ? 1 : n + 5, b_col = b_transposed ? k + 5 : 1;
    fill(a, m * a_row + k * a_col), fill(b, k * b_row + n * b_col);
    fill(c, m * (n + 1)), fill(bias, n);
  }

  void Run() {
    MatMul<T, Out>({.m = m,
                    .n = n,
                    .k = k,
                    .a = {a.data(), a_row, a_col},
                    .b = {b.data(), b_row, b_col},
                    .c = c.data(),
                    .c_row = n + 1,
                    .bias = has_bias ? bias.data() : nullptr,
                    .accumulate = accumulate});
  }

  float A(int64_t i, int64_t p) const {
    return static_cast<float>(a[static_cast<size_t>(i * a_row + p * a_col)]);
  }
  float B(int64_t p, int64_t j) const {
    return static_cast<float>(b[static_cast<size_t>(p * b_row + j * b_col)]);
  }

  // c (i, j) in S, starting from `before`, and the sum of its terms' magnitudes.
  template <typename S>
  S Sum(int64_t i, int64_t j, S before, S* magnitude = nullptr) const {
    S sum = has_bias ? static_cast<S>(bias[static_cast<size_t>(j)]) : S{0};
    S size = std::abs(sum) + std::abs(before);
    for (int64_t p = 0; p < k; ++p) {
      const S term = static_cast<S>(A(i, p)) * static_cast<S>(B(p, j));
      sum += term, size += std::abs(term);
    }
    if (magnitude != nullptr) *magnitude = size;
    return accumulate ? sum + before : sum;
  }

  std::string Describe() const {
    return absl::StrCat("m ", m, ", n ", n, ", k ", k, ", strides of a (", a_row, ", ", a_col,
                        "), of b (", b_row, ", ", b_col, ")", has_bias ? ", bias" : "",
                        accumulate ? ", accumulate" : "");
  }

  int64_t m, n, k;
  int64_t a_row, a_col, b_row, b_col;
  std::vector<T> a, b;
  std::vector<Out> c;
  std::vector<float> bias;
  bool has_bias = false, accumulate = false;
};

class AmxMatMul : public testing::Test {
 protected:
  void SetUp() override {
    if (!onednn::HasTiles()) GTEST_SKIP() << "this processor has no tiles (AMX)";
  }
};

template <typename T, typename Out = float>
void ExpectAgreesWithTheDefinition() {
  // What rounding the result adds.
  const double rounding = std::is_same_v<Out, float> ? 0 : std::ldexp(1.0, -8);
  const uint32_t seed = Seed();
  SCOPED_TRACE(absl::StrCat("LEMMA_TEST_SEED=", seed));
  std::mt19937 engine(seed);
  const auto size = [&](int64_t most) { return 1 + static_cast<int64_t>(engine() % most); };
  for (int round = 0; round < 120; ++round) {
    // Now and then beyond what is packed at a time.
    const bool wide = round % 40 == 0, deep = round % 10 == 1;
    Case<T, Out> product(size(round % 10 == 2 ? 700 : 90), wide ? 2048 + size(100) : size(90),
                         deep ? 512 + size(700) : size(100), engine() % 2 == 0, engine() % 2 == 0,
                         engine);
    product.has_bias = engine() % 2 == 0;
    product.accumulate = engine() % 3 == 0;
    const std::vector<Out> before = product.c;
    product.Run();
    for (int64_t i = 0; i < product.m; ++i) {
      for (int64_t j = 0; j <= product.n; ++j) {
        const auto at = static_cast<size_t>(i * (product.n + 1) + j);
        if (j == product.n) {
          ASSERT_EQ(std::memcmp(&product.c[at], &before[at], sizeof(Out)), 0)
              << "beyond row " << i << " of " << product.Describe();
          continue;
        }
        double magnitude = 0;
        const double expected =
            product.template Sum<double>(i, j, static_cast<float>(before[at]), &magnitude);
        ASSERT_NEAR(static_cast<float>(product.c[at]), expected,
                    std::numeric_limits<float>::epsilon() * (2 + std::sqrt(product.k)) * magnitude +
                        rounding * std::abs(expected))
            << i << ", " << j << " of " << product.Describe();
      }
    }
  }
}

TEST_F(AmxMatMul, AgreesWithTheDefinition) { ExpectAgreesWithTheDefinition<float>(); }

TEST_F(AmxMatMul, OfBFloat16AgreesWithTheDefinition) { ExpectAgreesWithTheDefinition<BFloat16>(); }

TEST_F(AmxMatMul, IntoBFloat16AgreesWithTheDefinition) {
  ExpectAgreesWithTheDefinition<BFloat16, BFloat16>();
}

TEST_F(AmxMatMul, IntoBFloat16RoundsAsBFloat16Does) {
  std::mt19937 engine(3);
  Case<BFloat16> sums(70, 90, 1536, false, true, engine);
  Case<BFloat16, BFloat16> rounded(1, 1, 1, false, true, engine);
  rounded.m = sums.m, rounded.n = sums.n, rounded.k = sums.k;
  rounded.a_row = sums.a_row, rounded.a_col = sums.a_col;
  rounded.b_row = sums.b_row, rounded.b_col = sums.b_col;
  // Sums of whole numbers: many are ties.
  for (BFloat16& x : sums.a) x = BFloat16(std::round(4 * static_cast<float>(x)));
  for (BFloat16& x : sums.b) x = BFloat16(std::round(4 * static_cast<float>(x)));
  sums.a[5] = BFloat16(std::nanf(""));
  rounded.a = sums.a, rounded.b = sums.b;
  rounded.c.resize(sums.c.size());
  sums.Run(), rounded.Run();
  for (int64_t i = 0; i < sums.m; ++i) {
    for (int64_t j = 0; j < sums.n; ++j) {
      const auto at = static_cast<size_t>(i * (sums.n + 1) + j);
      ASSERT_EQ(rounded.c[at].bits, BFloat16(sums.c[at]).bits) << sums.c[at];
    }
  }
}

// Root mean square errors of tiles, and of sums by multiply-adds of float32.
TEST_F(AmxMatMul, IsAsExactAsFloat32) {
  for (const int64_t k : {16, 128, 512, 4096}) {
    std::mt19937 engine(static_cast<uint32_t>(k));
    Case<float> product(64, 64, k, false, true, engine);
    product.Run();
    double tiles = 0, floats = 0;
    for (int64_t i = 0; i < product.m; ++i) {
      for (int64_t j = 0; j < product.n; ++j) {
        const double exact = product.template Sum<double>(i, j, 0);
        tiles += std::pow(product.c[static_cast<size_t>(i * (product.n + 1) + j)] - exact, 2);
        float sum = 0;
        for (int64_t p = 0; p < k; ++p) sum = std::fma(product.A(i, p), product.B(p, j), sum);
        floats += std::pow(sum - exact, 2);
      }
    }
    const double ratio = std::sqrt(tiles / floats);
    std::cout << "k " << k << ": error of tiles over that of float32 " << ratio << "\n";
    EXPECT_LT(ratio, 1) << "k " << k;
  }
}

// Products of numbers with all 24 bits, alone in their sums: the error is that of float32 rounding.
TEST_F(AmxMatMul, LosesNothingOfASingleProduct) {
  std::mt19937 engine(5);
  Case<float> product(64, 64, 1, false, false, engine);
  product.Run();
  for (int64_t i = 0; i < product.m; ++i) {
    for (int64_t j = 0; j < product.n; ++j) {
      const double exact = product.template Sum<double>(i, j, 0);
      ASSERT_NEAR(product.c[static_cast<size_t>(i * (product.n + 1) + j)], exact,
                  std::abs(exact) * std::ldexp(1.0, -23));
    }
  }
}

TEST_F(AmxMatMul, InfinitiesAndNaNsSpreadAsInFloat32) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float value : {infinity, -infinity, std::nanf(""), std::numeric_limits<float>::max(),
                            std::bit_cast<float>(0x7fffffffu), std::bit_cast<float>(0xffffffffu)}) {
    for (const bool in_a : {true, false}) {
      std::mt19937 engine(1);
      Case<float> product(70, 70, 50, false, in_a, engine);
      // Exact pieces, so that cross terms of an infinity would be NaN.
      for (float& x : product.a) x = std::round(x * 4) / 4;
      for (float& x : product.b) x = std::round(x * 4) / 4;
      if (in_a) {
        product.a[static_cast<size_t>(40 * product.a_row + 7 * product.a_col)] = value;
      } else {
        product.b[static_cast<size_t>(7 * product.b_row + 40 * product.b_col)] = value;
      }
      product.Run();
      for (int64_t i = 0; i < product.m; ++i) {
        for (int64_t j = 0; j < product.n; ++j) {
          const float got = product.c[static_cast<size_t>(i * (product.n + 1) + j)];
          const float expected = product.Sum<float>(i, j, 0);
          ASSERT_EQ(std::isnan(got), std::isnan(expected)) << value << " at " << i << ", " << j;
          if (std::isinf(expected)) {
            ASSERT_EQ(got, expected) << value << " at " << i << ", " << j;
          } else if (!std::isnan(expected)) {
            ASSERT_NEAR(got, expected, 1e-5 * std::max(1.0f, std::abs(expected)));
          }
        }
      }
    }
  }
}

// Numbers so small that what is left of them after two pieces is subnormal, beside ordinary ones.
TEST_F(AmxMatMul, TinyNumbersDoNoHarm) {
  std::mt19937 engine(4);
  Case<float> product(70, 70, 50, false, false, engine);
  for (size_t i = 0; i < product.a.size(); i += 3) product.a[i] *= std::ldexp(1.0f, -112);
  for (size_t i = 0; i < product.b.size(); i += 7) product.b[i] *= std::ldexp(1.0f, -130);
  product.Run();
  for (int64_t i = 0; i < product.m; ++i) {
    for (int64_t j = 0; j < product.n; ++j) {
      double magnitude = 0;
      const double expected = product.Sum<double>(i, j, 0, &magnitude);
      ASSERT_NEAR(product.c[static_cast<size_t>(i * (product.n + 1) + j)], expected,
                  1e-6 * magnitude + std::numeric_limits<float>::min() * product.k)
          << i << ", " << j;
    }
  }
}

TEST_F(AmxMatMul, BitsDoNotDependOnTheNumberOfThreads) {
  std::mt19937 engine(2);
  Case<float> product(300, 200, 900, true, false, engine);
  const int before = NumThreads();
  std::vector<float> first;
  for (const int threads : {1, 2, 3, 5}) {
    SetNumThreads(threads);
    product.Run();
    if (first.empty()) first = product.c;
    EXPECT_EQ(std::memcmp(first.data(), product.c.data(), first.size() * sizeof(float)), 0)
        << threads << " threads";
  }
  SetNumThreads(before);
}

TEST_F(AmxMatMul, PaysForLargeProductsAlone) {
  EXPECT_TRUE(Pays<float>(4096, 384, 384));
  EXPECT_TRUE(Pays<float>(1024, 3072, 768));
  EXPECT_FALSE(Pays<float>(4096, 4096, 16));
  EXPECT_FALSE(Pays<BFloat16>(128, 128, 4096));
  EXPECT_FALSE(Pays<float>(1, 4096, 4096));
}

}  // namespace
}  // namespace lemma::kernels::amx
