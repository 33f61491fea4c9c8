#include "autograd/kernels/simd/layer_norm.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/kernels/reference/layer_norm.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

struct Problem {
  int64_t rows, columns;
  bool affine = true;
  bool accumulate = false;
  std::vector<float> x, dy, weight, bias, dx_before;

  Problem(int64_t rows, int64_t columns) : rows(rows), columns(columns) {
    x = RandomFloats(rows * columns, 2.0f, 1);
    for (float& value : x) value += 3.0f;
    dy = RandomFloats(rows * columns, 1.0f, 2);
    weight = RandomFloats(columns, 1.0f, 3);
    bias = RandomFloats(columns, 1.0f, 4);
    dx_before = RandomFloats(rows * columns, 1.0f, 5);
  }
};

template <typename T>
struct TypedResult {
  std::vector<T> y, mean, rstd, dx, dweight, dbias;
};

// Runs forward and backward with `forward` and `backward` in type T.
template <typename T, typename Forward, typename Backward>
TypedResult<T> RunBoth(const Problem& p, const Forward& forward, const Backward& backward) {
  const auto x = Cast<T>(p.x), dy = Cast<T>(p.dy), weight = Cast<T>(p.weight),
             bias = Cast<T>(p.bias);
  TypedResult<T> out;
  out.y.resize(x.size());
  out.mean.resize(p.rows);
  out.rstd.resize(p.rows);
  out.dx = Cast<T>(p.dx_before);
  out.dweight.assign(p.columns, T{0.5});
  out.dbias.assign(p.columns, T{0.25});
  const T* w = p.affine ? weight.data() : nullptr;
  forward(p.rows, p.columns, x.data(), w, p.affine ? bias.data() : nullptr, 1e-5, out.y.data(),
          out.mean.data(), out.rstd.data());
  backward(p.rows, p.columns, dy.data(), x.data(), w, out.mean.data(), out.rstd.data(),
           out.dx.data(), p.accumulate, out.dweight.data(), out.dbias.data());
  return out;
}

TypedResult<float> RunSimd(const Problem& p) {
  return RunBoth<float>(p, LayerNormForward, LayerNormBackward);
}

TEST(LayerNorm, AgreesWithTheReference) {
  ForEachTarget([&] {
    for (const int64_t rows : {1, 3, 4, 5, 17, 70}) {
      for (const int64_t columns : kOddSizes) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns);
        Problem p(rows, columns);
        p.affine = columns % 2 == 1;
        p.accumulate = rows % 2 == 1;
        const auto actual = RunSimd(p);
        const auto expected = RunBoth<double>(p, reference::LayerNormForward<double>,
                                              reference::LayerNormBackward<double>);
        // rstd of one or two elements is large and carries the rounding of x with it.
        const double scale = columns < 7 ? 1e3 : 1.0;
        ExpectClose(actual.y, expected.y, 4e-6 * scale);
        ExpectClose(actual.mean, expected.mean, 2e-6);
        ExpectClose(actual.rstd, expected.rstd, 1e-6, 2e-5 * scale);
        ExpectClose(actual.dx, expected.dx, 2e-5 * scale, 1e-4);
        ExpectClose(actual.dweight, expected.dweight, 3e-5 * scale, 1e-5);
        ExpectClose(actual.dbias, expected.dbias, 1e-5, 1e-5);
      }
    }
  });
}

TEST(LayerNorm, GradientsThatAreNotWantedMayBeNull) {
  const Problem p(9, 33);
  const auto expected = RunSimd(p);
  std::vector<float> dx(p.x.size()), dweight(33, 0.5f), dbias(33, 0.25f);
  const auto run = [&](float* dx, float* dweight, float* dbias) {
    LayerNormBackward(9, 33, p.dy.data(), p.x.data(), p.weight.data(), expected.mean.data(),
                      expected.rstd.data(), dx, false, dweight, dbias);
  };
  run(dx.data(), nullptr, nullptr);
  run(nullptr, dweight.data(), nullptr);
  run(nullptr, nullptr, dbias.data());
  EXPECT_EQ(dx, expected.dx);
  EXPECT_EQ(dweight, expected.dweight);
  EXPECT_EQ(dbias, expected.dbias);
}

TEST(LayerNorm, WorksInPlace) {
  const Problem p(5, 65);
  const auto expected = RunSimd(p);
  std::vector<float> y = p.x, dx = p.dy, mean(5), rstd(5);
  LayerNormForward(5, 65, y.data(), p.weight.data(), p.bias.data(), 1e-5, y.data(), mean.data(),
                   rstd.data());
  EXPECT_EQ(y, expected.y);
  LayerNormBackward(5, 65, dx.data(), p.x.data(), p.weight.data(), mean.data(), rstd.data(),
                    dx.data(), false, nullptr, nullptr);
  EXPECT_EQ(dx, expected.dx);
}

TEST(LayerNorm, ARowWithNanOrInfinityIsNanAndTheOthersAreNot) {
  ForEachTarget([&] {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      Problem p(3, 37);
      p.x[37 + 36] = bad;
      const auto out = RunSimd(p);
      for (int64_t i = 0; i < 3 * 37; ++i) {
        EXPECT_EQ(std::isnan(out.y[i]), i / 37 == 1) << i;
        EXPECT_EQ(std::isnan(out.dx[i]), i / 37 == 1) << i;
      }
    }
  });
}

TEST(LayerNorm, SameBitsForAnyNumberOfThreads) {
  const Problem p(301, 129);
  ExpectSameBitsForAnyThreads([&] { return RunSimd(p).y; });
  ExpectSameBitsForAnyThreads([&] { return RunSimd(p).dx; });
  ExpectSameBitsForAnyThreads([&] { return RunSimd(p).dweight; });
  ExpectSameBitsForAnyThreads([&] { return RunSimd(p).dbias; });
}

}  // namespace
}  // namespace lemma::kernels::simd
