#include "autograd/ops/arithmetic.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Fn>
std::string ErrorOf(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Tensor Ramp(const Shape& shape, DType dtype) {
  std::vector<double> values(shape.numel());
  for (size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * static_cast<double>(i) - 3.25;
  Tensor x = Tensor::Empty(shape, dtype);
  VisitDType(dtype, [&]<typename T>() {
    T* elements = x.mutable_data<T>();
    for (size_t i = 0; i < values.size(); ++i) elements[i] = static_cast<T>(values[i]);
  });
  return x;
}

// The element of x at position `flat` of `shape`, to which x is broadcast.
double At(const Tensor& x, const Shape& shape, int64_t flat) {
  const Strides strides = BroadcastStrides(x.shape(), x.strides(), shape);
  int64_t offset = 0;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    offset += flat % shape[d] * strides[d];
    flat /= shape[d];
  }
  return VisitDType(x.dtype(),
                    [&]<typename T>() { return static_cast<double>(x.data<T>()[offset]); });
}

TEST(Arithmetic, AgreesWithDoubleMathForEveryBroadcastAndFloatType) {
  const std::pair<Shape, Shape> shapes[] = {{{}, {}},
                                            {{3}, {}},
                                            {{}, {2, 3}},
                                            {{4, 3}, {3}},
                                            {{4, 1}, {1, 5}},
                                            {{2, 1, 3}, {4, 1}},
                                            {{2, 3, 4}, {2, 3, 4}},
                                            {{1}, {5, 1, 2}},
                                            {{0, 3}, {3}},
                                            {{1, 7}, {6, 1}},
                                            {{3, 1, 1, 2}, {4, 5, 1}}};
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBFloat16}) {
    const double tolerance = dtype == DType::kFloat64   ? 1e-15
                             : dtype == DType::kFloat32 ? 1e-7
                                                        : 4e-3;
    for (const auto& [a_shape, b_shape] : shapes) {
      const Tensor a = Ramp(a_shape, dtype), b = Ramp(b_shape, dtype);
      Shape shape;
      ASSERT_TRUE(Broadcast(a_shape, b_shape, &shape));
      const Tensor results[] = {a + b, a - b, a * b, a / b};
      for (int op = 0; op < 4; ++op) {
        const Tensor& y = results[op];
        ASSERT_EQ(y.shape(), shape);
        ASSERT_EQ(y.dtype(), dtype);
        for (int64_t i = 0; i < y.numel(); ++i) {
          const double u = At(a, shape, i), v = At(b, shape, i);
          const double expected = op == 0 ? u + v : op == 1 ? u - v : op == 2 ? u * v : u / v;
          EXPECT_NEAR(At(y, shape, i), expected, tolerance * std::abs(expected))
              << "op " << op << " at " << i << " of " << shape.ToString();
        }
      }
    }
  }
}

TEST(Arithmetic, ReadsTransposedAndSlicedOperands) {
  const Tensor x = Ramp({4, 3}, DType::kFloat32);
  const Tensor transposed = Tensor::View(x.storage(), x.dtype(), {3, 4}, {1, 3}, 0);
  const Tensor every_second = Tensor::View(x.storage(), x.dtype(), {3, 2}, {1, 6}, 3);
  const Tensor y = transposed * 2;
  const Tensor z = transposed + transposed;
  for (int64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(At(y, y.shape(), i), 2 * At(transposed, y.shape(), i));
    EXPECT_EQ(At(z, y.shape(), i), 2 * At(transposed, y.shape(), i));
  }
  const Tensor minus = -every_second;
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(At(minus, minus.shape(), i), -At(every_second, minus.shape(), i));
  }
}

TEST(Arithmetic, LargeArraysAreSharedOutWithoutAGap) {
  const int64_t rows = 70, columns = 4001;
  const Tensor a = Ramp({rows, columns}, DType::kFloat64);
  const Tensor b = Ramp({rows, 1}, DType::kFloat64);
  const Tensor dense = a * a, stretched = a * b;
  for (int64_t i = 0; i < a.numel(); ++i) {
    const double u = 0.5 * static_cast<double>(i) - 3.25;
    const double v = 0.5 * static_cast<double>(i / columns) - 3.25;
    ASSERT_EQ(dense.data<double>()[i], u * u) << i;
    ASSERT_EQ(stretched.data<double>()[i], u * v) << i;
  }
}

TEST(Arithmetic, TakesNumbersOnBothSides) {
  const Tensor x = FromValues<double>({1, 2, 4});
  EXPECT_THAT((x + 1).ToVector<double>(), ElementsAre(2, 3, 5));
  EXPECT_THAT((1 + x).ToVector<double>(), ElementsAre(2, 3, 5));
  EXPECT_THAT((x - 1).ToVector<double>(), ElementsAre(0, 1, 3));
  EXPECT_THAT((1 - x).ToVector<double>(), ElementsAre(0, -1, -3));
  EXPECT_THAT((x * 3).ToVector<double>(), ElementsAre(3, 6, 12));
  EXPECT_THAT((x / 2).ToVector<double>(), ElementsAre(0.5, 1, 2));
  EXPECT_THAT((2 / x).ToVector<double>(), ElementsAre(2, 1, 0.5));
  EXPECT_THAT((-x).ToVector<double>(), ElementsAre(-1, -2, -4));
}

TEST(Arithmetic, ANumberKeepsItsPrecisionBesideBFloat16) {
  // As a bfloat16, 1.005 would be 1.0078 and the product 1008.
  const Tensor x = FromVector<BFloat16>({BFloat16(1000.0f)}, {1});
  EXPECT_EQ((x * 1.005).Item(), 1004);
}

TEST(Arithmetic, IntegersWrapAround) {
  const int32_t largest = std::numeric_limits<int32_t>::max();
  const Tensor x = FromValues<int32_t>({largest, -5});
  EXPECT_THAT((x + 1).ToVector<int32_t>(), ElementsAre(-largest - 1, -4));
  EXPECT_THAT((x * x).ToVector<int32_t>(), ElementsAre(1, 25));
  EXPECT_THAT((-(x + 1)).ToVector<int32_t>(), ElementsAre(-largest - 1, 4));
  EXPECT_THAT((FromValues<int64_t>({7}) - 9).ToVector<int64_t>(), ElementsAre(-2));
}

TEST(Arithmetic, GradientsAreSummedOverBroadcastDimensions) {
  Tensor a = FromValues<double>({1, 2, 3, 4, 5, 6}, {2, 3}).SetRequiresGrad(true);
  Tensor b = FromValues<double>({2, 4, 8}).SetRequiresGrad(true);
  const Tensor dy = FromValues<double>({1, 1, 1, 2, 2, 2}, {2, 3});
  const auto gradients = [&](const Tensor& y) { return Grad({y}, {a, b}, {.grad_outputs = {dy}}); };
  std::vector<Tensor> d = gradients(a - b);
  EXPECT_THAT(d[0].ToVector<double>(), ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(d[1].ToVector<double>(), ElementsAre(-3, -3, -3));
  d = gradients(a * b);
  EXPECT_THAT(d[0].ToVector<double>(), ElementsAre(2, 4, 8, 4, 8, 16));
  EXPECT_THAT(d[1].ToVector<double>(), ElementsAre(9, 12, 15));
  d = gradients(a / b);
  EXPECT_THAT(d[0].ToVector<double>(), ElementsAre(0.5, 0.25, 0.125, 1, 0.5, 0.25));
  EXPECT_THAT(d[1].ToVector<double>(), ElementsAre(-9.0 / 4, -12.0 / 16, -15.0 / 64));
}

TEST(Arithmetic, GradientsPassBesideNumbers) {
  Tensor x = FromValues<double>({2, 4}).SetRequiresGrad(true);
  const Tensor ones = Ones({2}, DType::kFloat64);
  const auto gradient = [&](const Tensor& y) {
    return Grad({y}, {x}, {.grad_outputs = {ones}})[0].ToVector<double>();
  };
  EXPECT_THAT(gradient(3 - x), ElementsAre(-1, -1));
  EXPECT_THAT(gradient(x * 3), ElementsAre(3, 3));
  EXPECT_THAT(gradient(x / 4), ElementsAre(0.25, 0.25));
  EXPECT_THAT(gradient(8 / x), ElementsAre(-2, -0.5));
  EXPECT_THAT(gradient(-x), ElementsAre(-1, -1));
}

TEST(Arithmetic, AnOperandGivenUpIsOverwritten) {
  const Tensor kept = Ones({4});
  for (int side = 0; side < 2; ++side) {
    Tensor given_up = Full({4}, 2);
    const void* memory = given_up.raw_data();
    const Tensor y = side == 0 ? std::move(given_up) - kept : kept - std::move(given_up);
    EXPECT_EQ(y.raw_data(), memory);
    EXPECT_EQ(y.ToVector<float>()[3], side == 0 ? 1 : -1);
  }
  Tensor x = Full({4}, 2);
  const void* memory = x.raw_data();
  x = -(std::move(x) * 3);
  EXPECT_EQ(x.raw_data(), memory);
  EXPECT_EQ(x.ToVector<float>()[0], -6);
}

TEST(Arithmetic, AnOperandThatIsStillHeldOrNeededStays) {
  Tensor held = Full({2}, 2);
  Tensor other = held;
  EXPECT_NE((std::move(other) + 1).raw_data(), held.raw_data());
  EXPECT_EQ(held.ToVector<float>()[0], 2);

  // The product needs its operand again for the gradient of w.
  Tensor w = Full({2}, 3).SetRequiresGrad(true);
  Tensor x = Full({2}, 5);
  const void* memory = x.raw_data();
  const Tensor y = std::move(x) * w;
  EXPECT_NE(y.raw_data(), memory);
  EXPECT_EQ(Grad({y}, {w}, {.grad_outputs = {Ones({2})}})[0].ToVector<float>()[0], 5);

  // A row that is stretched has no room for the result.
  Tensor row = Ones({2});
  EXPECT_EQ((std::move(row) + Zeros({3, 2})).numel(), 6);
}

TEST(Arithmetic, CompoundAssignmentBindsTheNameAnew) {
  Tensor x = FromValues<float>({1, 2});
  const Tensor before = x;
  x += FromValues<float>({10, 20});
  x *= 2;
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(22, 44));
  EXPECT_THAT(before.ToVector<float>(), ElementsAre(1, 2));
  x -= x;
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(0, 0));
  EXPECT_THROW(x /= Ones({3}), Error);
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(0, 0));
}

TEST(Arithmetic, CompoundAssignmentIsRecorded) {
  Tensor x = FromValues<double>({3}).SetRequiresGrad(true);
  Tensor y = x;
  y *= x;
  y *= x;
  EXPECT_EQ(Grad({y}, {x})[0].Item(), 27);
}

TEST(Arithmetic, SayWhatDoesNotFitAndTheWayOut) {
  const Tensor x = Ones({4, 2});
  EXPECT_EQ(
      ErrorOf([&] {
        x + Ones({3, 2});
      }),
      "[add] b: its size 3 in dimension -2 must be 1 or the 4 of a; a is (4, 2), b is (3, 2)");
  EXPECT_EQ(ErrorOf([&] { x* Ones({2}, DType::kFloat64); }),
            "[mul] b: its dtype must be that of a; a is float32, b is float64; use Cast(b, "
            "a.dtype()) or the other way round");
  EXPECT_THAT(ErrorOf([&] { Ones({2}, DType::kInt64) / 2; }),
              HasSubstr("[div] a: must be of a float"));
  EXPECT_THAT(ErrorOf([&] { Ones({2}, DType::kInt64) + 0.5; }),
              HasSubstr("0.5 is not a value of int64"));
  EXPECT_THAT(ErrorOf([&] { -Ones({2}, DType::kBool); }), HasSubstr("[neg] x: must hold numbers"));
  EXPECT_THAT(ErrorOf([&] { 1 - Ones({2}, DType::kBool); }), HasSubstr("[sub] b: must hold"));
  EXPECT_THAT(ErrorOf([&] { x + Tensor(); }), HasSubstr("[add] b: the tensor is undefined"));
  EXPECT_THAT(ErrorOf([&] { Tensor() + x; }), HasSubstr("[add] a: the tensor is undefined"));
  EXPECT_THAT(ErrorOf([&] { Tensor() * 2; }), HasSubstr("[mul] a: the tensor is undefined"));
}

}  // namespace
}  // namespace lemma
