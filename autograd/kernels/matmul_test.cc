#include "autograd/kernels/matmul.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/dtype.h"
#include "autograd/kernels/parallel.h"
#include "autograd/kernels/reference/matmul.h"
#include "gtest/gtest.h"

namespace lemma::kernels {
namespace {

// A product on memory of its own: what a test changes is one field, what it reads is c.
template <typename T, typename Out>
struct Product {
  Product(int64_t m, int64_t n, int64_t k, bool a_transposed = false, bool b_transposed = false) {
    call.dtype = DTypeOf<T>();
    call.out_dtype = DTypeOf<Out>();
    call.m = m, call.n = n, call.k = k;
    call.a.row = a_transposed ? 1 : k, call.a.col = a_transposed ? m : 1;
    call.b.row = b_transposed ? 1 : n, call.b.col = b_transposed ? k : 1;
    call.c_row = n;
  }

  // Fills as much memory as the strides reach.
  void Fill(std::mt19937& engine) {
    const auto fill = [&](auto& values, int64_t size) {
      using Element = typename std::decay_t<decltype(values)>::value_type;
      values.resize(static_cast<size_t>(size));
      for (Element& value : values) {
        const int64_t number = static_cast<int64_t>(engine() % 2001) - 1000;
        if constexpr (IsFloat(DTypeOf<Element>())) {
          value = static_cast<Element>(static_cast<float>(number) * 1e-3f);
        } else {
          value = static_cast<Element>(number);
        }
      }
    };
    const auto reach = [&](const int64_t(&batch)[2], int64_t rows, int64_t row, int64_t cols,
                           int64_t col) {
      return 1 + (call.batch[0] - 1) * batch[0] + (call.batch[1] - 1) * batch[1] +
             std::max<int64_t>(rows - 1, 0) * row + std::max<int64_t>(cols - 1, 0) * col;
    };
    fill(a, reach(call.a.batch, call.m, call.a.row, call.k, call.a.col));
    fill(b, reach(call.b.batch, call.k, call.b.row, call.n, call.b.col));
    fill(c, reach(call.c_batch, call.m, call.c_row, call.n, 1));
    fill(bias, call.n);
    call.a.data = a.data();
    call.b.data = b.data();
    call.c = c.data();
    if (has_bias) call.bias = bias.data();
  }

  // c by the definition, in double; with `magnitudes` of the absolute values of all elements.
  std::vector<double> Expected(bool magnitudes) const {
    const auto wide = [&](const auto& values) {
      std::vector<double> result(values.begin(), values.end());
      for (double& value : result) value = magnitudes ? std::abs(value) : value;
      return result;
    };
    const std::vector<double> a64 = wide(a), b64 = wide(b), bias64 = wide(bias);
    std::vector<double> c64 = wide(c);
    for (int64_t b0 = 0; b0 < call.batch[0]; ++b0) {
      for (int64_t b1 = 0; b1 < call.batch[1]; ++b1) {
        reference::MatMul<double, double>(
            call.m, call.n, call.k, a64.data() + b0 * call.a.batch[0] + b1 * call.a.batch[1],
            call.a.row, call.a.col, b64.data() + b0 * call.b.batch[0] + b1 * call.b.batch[1],
            call.b.row, call.b.col, c64.data() + b0 * call.c_batch[0] + b1 * call.c_batch[1],
            call.c_row, has_bias ? bias64.data() : nullptr, call.accumulate);
      }
    }
    return c64;
  }

  // Runs it and compares all of c, also what lies between its rows. A sum of k products and two
  // more numbers is rounded k + 2 times, by at most half an epsilon of the sum of magnitudes.
  void ExpectRight() {
    const std::vector<double> expected = Expected(false), magnitudes = Expected(true);
    MatMul(call);
    using A = Accumulator<T>;
    const double rounding = IsFloat(DTypeOf<A>()) ? std::numeric_limits<A>::epsilon() / 2.0 : 0;
    const double out_rounding = std::is_same_v<Out, BFloat16> ? 1.0 / 256 : 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      const double bound = rounding * static_cast<double>(call.k + 4) * magnitudes[i] +
                           out_rounding * std::abs(expected[i]);
      ASSERT_LE(std::abs(static_cast<double>(c[i]) - expected[i]), bound)
          << "at " << i << " of " << Describe();
    }
  }

  std::string Describe() const {
    const auto strides = [](const MatMulOperand& x) {
      return absl::StrCat(" (", x.batch[0], ", ", x.batch[1], ", ", x.row, ", ", x.col, ")");
    };
    return absl::StrCat(Name(call.dtype), " to ", Name(call.out_dtype), ", batch ", call.batch[0],
                        " x ", call.batch[1], ", m ", call.m, ", n ", call.n, ", k ", call.k,
                        ", strides of a", strides(call.a), ", of b", strides(call.b), ", of c (",
                        call.c_batch[0], ", ", call.c_batch[1], ", ", call.c_row, ")",
                        has_bias ? ", bias" : "", call.accumulate ? ", accumulate" : "");
  }

  MatMulCall call;
  bool has_bias = false;
  std::vector<T> a, b;
  std::vector<Out> c;
  std::vector<Accumulator<T>> bias;
};

template <typename Types>
class MatMulTyped : public testing::Test {};

template <typename InType, typename OutType>
struct Types {
  using In = InType;
  using Out = OutType;
};
using AllTypes =
    testing::Types<Types<float, float>, Types<double, double>, Types<BFloat16, float>,
                   Types<BFloat16, BFloat16>, Types<int32_t, int32_t>, Types<int64_t, int64_t>>;
TYPED_TEST_SUITE(MatMulTyped, AllTypes);

uint32_t Seed() {
  const char* given = std::getenv("LEMMA_TEST_SEED");
  return given == nullptr ? std::random_device()() : static_cast<uint32_t>(std::atoll(given));
}

// Strides of one operand: plain, transposed, padded, every other element, broadcast, batches inside
// or outside of the rows.
void RandomStrides(std::mt19937& engine, const int64_t (&batch)[2], int64_t rows, int64_t cols,
                   MatMulOperand& x) {
  const int64_t step = engine() % 8 == 0 ? 2 : 1;
  const int64_t pad = engine() % 3 == 0 ? static_cast<int64_t>(engine() % 5) : 0;
  if (engine() % 4 == 0) {  // like heads of (B, T, H, D)
    const bool transposed = engine() % 2 == 0;
    const int64_t width = transposed ? rows : cols;
    x.batch[1] = width + pad;
    (transposed ? x.row : x.col) = 1;
    (transposed ? x.col : x.row) = batch[1] * x.batch[1];
    x.batch[0] = (transposed ? x.col * cols : x.row * rows);
  } else {
    const bool transposed = engine() % 2 == 0;
    x.row = transposed ? step : (cols + pad) * step;
    x.col = transposed ? (rows + pad) * step : step;
    x.batch[1] = transposed ? x.col * cols : x.row * rows;
    x.batch[0] = batch[1] * x.batch[1];
  }
  if (engine() % 5 == 0) x.batch[0] = 0;
  if (engine() % 5 == 0) x.batch[1] = 0;
  if (engine() % 16 == 0) x.row = 0;
  if (engine() % 16 == 0) x.col = 0;
}

TYPED_TEST(MatMulTyped, AgreesWithTheDefinitionForRandomCalls) {
  using T = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  const uint32_t seed = Seed();
  SCOPED_TRACE(absl::StrCat("LEMMA_TEST_SEED=", seed));
  std::mt19937 engine(seed);
  const auto size = [&](int64_t most) {
    return engine() % 4 == 0 ? 1 + static_cast<int64_t>(engine() % 3)
                             : 1 + static_cast<int64_t>(engine() % most);
  };
  for (int i = 0; i < 400; ++i) {
    Product<T, Out> product(size(90), size(140), size(120));
    MatMulCall& call = product.call;
    if (engine() % 20 == 0) call.k = 0;
    if (engine() % 2 == 0) call.batch[0] = size(4), call.batch[1] = size(5);
    RandomStrides(engine, call.batch, call.m, call.k, call.a);
    RandomStrides(engine, call.batch, call.k, call.n, call.b);
    if (engine() % 2 == 0) {
      call.c_row = call.n + static_cast<int64_t>(engine() % 2 * 3);
      call.c_batch[1] = call.m * call.c_row;
      call.c_batch[0] = call.batch[1] * call.c_batch[1];
    } else {
      call.c_batch[1] = call.n;
      call.c_row = call.batch[1] * call.n;
      call.c_batch[0] = call.m * call.c_row;
    }
    product.has_bias = engine() % 3 == 0;
    call.accumulate = engine() % 3 == 0;
    product.Fill(engine);
    product.ExpectRight();
    if (testing::Test::HasFatalFailure()) return;
  }
}

// The rows of a have to be copied, and are the same for two batches.
TYPED_TEST(MatMulTyped, AgreesWithTheDefinitionWhereRowsAreSpread) {
  std::mt19937 engine(1);
  Product<typename TypeParam::In, typename TypeParam::Out> product(1, 98, 20);
  MatMulCall& call = product.call;
  call.batch[0] = 2, call.batch[1] = 3;
  call.a = {.row = 1, .col = 0, .batch = {0, 100}};
  call.b = {.row = 1, .col = 20, .batch = {0, 1960}};
  call.c_row = call.c_batch[1] = 98, call.c_batch[0] = 3 * 98;
  product.Fill(engine);
  product.ExpectRight();
}

TYPED_TEST(MatMulTyped, AgreesWithTheDefinitionWhereItIsCutIntoPieces) {
  using T = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  std::mt19937 engine(1);
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      Product<T, Out> product(521, 421, 70, a_transposed, b_transposed);
      product.has_bias = true;
      product.Fill(engine);
      product.ExpectRight();
    }
  }
}

// By weights stored (out, in), within larger arrays.
TYPED_TEST(MatMulTyped, AgreesWithTheDefinitionForFewRows) {
  std::mt19937 engine(1);
  for (const int64_t rows : {2, 16, 48, 64, 80}) {
    for (const bool accumulate : {false, true}) {
      Product<typename TypeParam::In, typename TypeParam::Out> product(rows, 70, 130, false, true);
      product.has_bias = !accumulate;
      product.call.accumulate = accumulate;
      product.call.a.row = 133;
      product.call.b.col = 135;
      product.call.c_row = 75;
      product.Fill(engine);
      product.ExpectRight();
    }
  }
}

// Depths around those at which kernels change their way of summing.
TYPED_TEST(MatMulTyped, AgreesWithTheDefinitionForAnyDepth) {
  using T = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  std::mt19937 engine(7);
  for (const int64_t k : {1, 2, 3, 15, 16, 17, 31, 32, 33, 62, 63, 64, 65, 127, 128, 129, 257}) {
    for (const auto& [m, n] : {std::array<int64_t, 2>{37, 87}, {43, 150}, {132, 5}, {1, 50}}) {
      Product<T, Out> product(m, n, k, /*a_transposed=*/m > 1, /*b_transposed=*/n != 5);
      product.Fill(engine);
      product.ExpectRight();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(MatMulTyped, AnEmptySumIsZeroOrTheBias) {
  using T = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  std::mt19937 engine(2);
  Product<T, Out> product(3, 4, 0);
  product.Fill(engine);
  MatMul(product.call);
  EXPECT_EQ(product.c, std::vector<Out>(12, static_cast<Out>(0.0f)));
  product.call.bias = product.bias.data();
  MatMul(product.call);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(product.c[i], static_cast<Out>(product.bias[i % 4]));
}

TYPED_TEST(MatMulTyped, AnEmptyResultIsLeftAlone) {
  using T = typename TypeParam::In;
  using Out = typename TypeParam::Out;
  for (const auto& [m, n, batch] : {std::array<int64_t, 3>{0, 4, 1}, {4, 0, 1}, {4, 4, 0}}) {
    Product<T, Out> product(m, n, 5);
    product.call.batch[0] = batch;
    MatMul(product.call);
  }
}

// Shapes of a training step (rows, in, out) and of sampling.
constexpr int64_t kLayers[][3] = {{1, 128, 384},     {1, 768, 2304},    {64, 128, 65},
                                  {64, 512, 128},    {768, 128, 384},   {768, 512, 128},
                                  {4096, 128, 65},   {4096, 128, 128},  {4096, 512, 128},
                                  {1024, 384, 1536}, {1024, 768, 2304}, {100, 768, 5025}};

// Expects that a product gives the same bits for any number of threads.
template <typename T>
void ExpectSameBits(int64_t m, int64_t n, int64_t k, bool a_transposed, bool b_transposed) {
  std::mt19937 engine(3);
  Product<T, float> product(m, n, k, a_transposed, b_transposed);
  product.Fill(engine);
  std::vector<float> one_thread;
  for (const int threads : {1, 2, 3, 5}) {
    SetNumThreads(threads);
    MatMul(product.call);
    if (threads == 1) one_thread = product.c;
    EXPECT_EQ(std::memcmp(product.c.data(), one_thread.data(), one_thread.size() * sizeof(float)),
              0)
        << threads << " threads, " << product.Describe();
  }
}

template <typename T>
void ExpectSameBitsForLayers() {
  const int before = NumThreads();
  for (const auto& [rows, in, out] : kLayers) {
    ExpectSameBits<T>(rows, out, in, false, true);   // y = x W^T
    ExpectSameBits<T>(rows, in, out, false, false);  // dx = dy W
    ExpectSameBits<T>(out, in, rows, true, false);   // dW = dy^T x
  }
  SetNumThreads(before);
}

TEST(MatMul, HasTheSameBitsForAnyNumberOfThreads) { ExpectSameBitsForLayers<float>(); }

TEST(MatMul, HasTheSameBitsForAnyNumberOfThreadsInBFloat16) { ExpectSameBitsForLayers<BFloat16>(); }

TEST(MatMul, HasTheSameBitsForAnyNumberOfThreadsInBatches) {
  const int before = NumThreads();
  std::mt19937 engine(4);
  Product<float, float> product(64, 64, 32, false, true);  // scores of (B, H) heads
  product.call.batch[0] = 12, product.call.batch[1] = 4;
  product.call.a = {nullptr, 384, 1, {64 * 384, 32}};
  product.call.b = {nullptr, 1, 384, {64 * 384, 32}};
  product.call.c_batch[0] = 4 * 64 * 64, product.call.c_batch[1] = 64 * 64;
  product.Fill(engine);
  SetNumThreads(1);
  MatMul(product.call);
  const std::vector<float> one_thread = product.c;
  for (const int threads : {2, 3}) {
    SetNumThreads(threads);
    std::fill(product.c.begin(), product.c.end(), 0.0f);
    MatMul(product.call);
    EXPECT_EQ(product.c, one_thread) << threads << " threads";
  }
  SetNumThreads(before);
}

TEST(MatMul, CreatesNoPrimitiveForAShapeItHasSeen) {
  std::mt19937 engine(5);
  Product<float, float> product(100, 300, 70);
  product.Fill(engine);
  MatMul(product.call);
  const int64_t created = MatMulPrimitivesCreated();
  EXPECT_GT(created, 0);
  for (int i = 0; i < 3; ++i) MatMul(product.call);
  std::thread([&] { MatMul(product.call); }).join();
  EXPECT_EQ(MatMulPrimitivesCreated(), created);
}

TEST(MatMul, ManyThreadsMayCallAtOnce) {
  std::vector<std::thread> callers;
  for (uint32_t t = 0; t < 4; ++t) {
    callers.emplace_back([t] {
      std::mt19937 engine(t);
      for (int i = 0; i < 20; ++i) {
        Product<float, float> product(40 + i, 300, 90, false, i % 2 == 0);
        product.Fill(engine);
        product.ExpectRight();
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(MatMul, NaNAndInfinityOfTheOldResultAreNotKept) {
  std::mt19937 engine(6);
  for (const int64_t size : {4, 40, 200}) {
    Product<float, float> product(size, size, size);
    product.Fill(engine);
    std::fill(product.c.begin(), product.c.end(), std::numeric_limits<float>::quiet_NaN());
    MatMul(product.call);
    for (const float value : product.c) ASSERT_TRUE(std::isfinite(value)) << "size " << size;
  }
}

}  // namespace
}  // namespace lemma::kernels
