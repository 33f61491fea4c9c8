#include "autograd/ops/pointwise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
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
using ::testing::IsNan;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
  const char* name;
  Tensor (*op)(Tensor);
  double (*value)(double);
  double (*derivative)(double);
  bool positive;  // defined for positive numbers alone
};

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }

const Case kCases[] = {
    {"exp", Exp, [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }, false},
    {"log", Log, [](double x) { return std::log(x); }, [](double x) { return 1 / x; }, true},
    {"log1p", Log1p, [](double x) { return std::log1p(x); }, [](double x) { return 1 / (1 + x); },
     true},
    {"sqrt", Sqrt, [](double x) { return std::sqrt(x); },
     [](double x) { return 0.5 / std::sqrt(x); }, true},
    {"rsqrt", Rsqrt, [](double x) { return 1 / std::sqrt(x); },
     [](double x) { return -0.5 * std::pow(x, -1.5); }, true},
    {"sin", Sin, [](double x) { return std::sin(x); }, [](double x) { return std::cos(x); }, false},
    {"cos", Cos, [](double x) { return std::cos(x); }, [](double x) { return -std::sin(x); },
     false},
    {"erf", Erf, [](double x) { return std::erf(x); },
     [](double x) { return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x); }, false},
    {"tanh", Tanh, [](double x) { return std::tanh(x); },
     [](double x) { return 1 / (std::cosh(x) * std::cosh(x)); }, false},
    {"sigmoid", Sigmoid, Logistic, [](double x) { return Logistic(x) * Logistic(-x); }, false},
    {"relu", Relu, [](double x) { return std::max(x, 0.0); },
     [](double x) { return x > 0 ? 1.0 : 0.0; }, false},
    {"silu", Silu, [](double x) { return x * Logistic(x); },
     [](double x) { return Logistic(x) * (1 + x * Logistic(-x)); }, false},
    {"abs", Abs, [](double x) { return std::abs(x); }, [](double x) { return x > 0 ? 1.0 : -1.0; },
     false},
    {"square", Square, [](double x) { return x * x; }, [](double x) { return 2 * x; }, false},
    {"reciprocal", Reciprocal, [](double x) { return 1 / x; },
     [](double x) { return -1 / (x * x); }, false},
};

std::vector<double> Points(bool positive) {
  std::vector<double> points;
  for (int i = 0; i < 41; ++i) {
    const double x = 0.15 * i + 0.03125;
    points.push_back(positive || i % 2 == 0 ? x : -x);
  }
  return points;
}

void ExpectClose(const std::vector<double>& got, const std::vector<double>& points,
                 double (*expected)(double), double tolerance, const std::string& what) {
  for (size_t i = 0; i < points.size(); ++i) {
    const double want = expected(points[i]);
    EXPECT_NEAR(got[i], want, tolerance * (1 + std::abs(want))) << what << " at " << points[i];
  }
}

template <typename T>
std::vector<double> Doubles(const Tensor& x) {
  const std::vector<T> values = x.ToVector<T>();
  return std::vector<double>(values.begin(), values.end());
}

template <typename T>
void ExpectValuesAndGradients(double tolerance) {
  for (const Case& c : kCases) {
    std::vector<T> elements;
    for (double x : Points(c.positive)) elements.push_back(static_cast<T>(x));
    const std::vector<double> points(elements.begin(), elements.end());
    const Shape shape = {static_cast<int64_t>(points.size())};
    Tensor x = FromVector<T>(elements, shape).SetRequiresGrad(true);
    const Tensor y = c.op(x);
    ExpectClose(Doubles<T>(y), points, c.value, tolerance, c.name);
    const Tensor dy = Ones(shape, DTypeOf<T>());
    for (bool create_graph : {false, true}) {
      const Tensor dx = Grad(
          {y}, {x}, {.grad_outputs = {dy}, .create_graph = create_graph, .retain_graph = true})[0];
      ExpectClose(Doubles<T>(dx), points, c.derivative, tolerance,
                  std::string("the gradient of ") + c.name);
    }
  }
}

TEST(Pointwise, ValuesAndGradientsAgreeWithDoubleMathInFloat64) {
  ExpectValuesAndGradients<double>(1e-13);
}

TEST(Pointwise, ValuesAndGradientsAgreeWithDoubleMathInFloat32) {
  ExpectValuesAndGradients<float>(2e-6);
}

TEST(Pointwise, ValuesAndGradientsAgreeWithDoubleMathInBFloat16) {
  ExpectValuesAndGradients<BFloat16>(3e-2);
}

TEST(Pointwise, ReadsAtStridesAndTakesEmptyTensors) {
  const Tensor x = FromValues<double>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor transposed = Tensor::View(x.storage(), x.dtype(), {3, 2}, {1, 3}, 0);
  for (const Case& c : kCases) {
    const std::vector<double> y = c.op(transposed).ToVector<double>();
    ExpectClose(y, {1, 4, 2, 5, 3, 6}, c.value, 1e-14, c.name);
    EXPECT_EQ(c.op(Zeros({0, 2})).numel(), 0) << c.name;
  }
}

TEST(Pointwise, OverwritesATensorGivenUp) {
  for (const Case& c : kCases) {
    Tensor x = Full({3}, 0.5);
    const void* memory = x.raw_data();
    const Tensor y = c.op(std::move(x));
    if (std::string(c.name) != "square") {
      EXPECT_EQ(y.raw_data(), memory) << c.name;
    }
    EXPECT_NEAR(y.ToVector<float>()[2], c.value(0.5), 1e-6) << c.name;
  }
}

TEST(Pointwise, SpecialPoints) {
  const auto at = [](Tensor (*op)(Tensor), double x) {
    return op(Scalar(x, DType::kFloat64)).Item();
  };
  EXPECT_EQ(at(Log, 0), -kInf);
  EXPECT_THAT(at(Log, -1), IsNan());
  EXPECT_EQ(at(Rsqrt, 0), kInf);
  EXPECT_EQ(at(Exp, -kInf), 0);
  EXPECT_EQ(at(Sigmoid, -1000), 0);
  EXPECT_EQ(at(Sigmoid, 1000), 1);
  EXPECT_EQ(at(Tanh, kInf), 1);
  EXPECT_THAT(at(Relu, kNaN), IsNan());
  EXPECT_EQ(at(Sign, kNaN), 0);
  EXPECT_EQ(at(Sign, -3), -1);
}

double GradientAt(Tensor (*op)(Tensor), double at) {
  Tensor x = Scalar(at, DType::kFloat64).SetRequiresGrad(true);
  return Grad({op(x)}, {x})[0].Item();
}

TEST(Pointwise, GradientsAtKinks) {
  EXPECT_EQ(GradientAt(Abs, 0), 0);
  EXPECT_EQ(GradientAt(Relu, 0), 0);
  EXPECT_EQ(GradientAt(Sqrt, 0), kInf);
  EXPECT_EQ(GradientAt(Log, 0), kInf);
  Tensor x = Ones({2}).SetRequiresGrad(true);
  EXPECT_FALSE(Sign(x).requires_grad());
}

TEST(Abs, TakesIntegers) {
  const int32_t smallest = std::numeric_limits<int32_t>::min();
  EXPECT_THAT(Abs(FromValues<int32_t>({-3, 4, smallest})).ToVector<int32_t>(),
              ElementsAre(3, 4, smallest));
  EXPECT_THAT(Sign(FromValues<int64_t>({-3, 0, 4})).ToVector<int64_t>(), ElementsAre(-1, 0, 1));
}

TEST(Clamp, HoldsBetweenTheBoundsThatItHas) {
  const Tensor x = FromValues<double>({-2, 0, 0.5, 1, 3, kNaN});
  EXPECT_THAT(Clamp(x, 0, 1).ToVector<double>(), ElementsAre(0, 0, 0.5, 1, 1, IsNan()));
  EXPECT_THAT(Clamp(x, 0).ToVector<double>(), ElementsAre(0, 0, 0.5, 1, 3, IsNan()));
  EXPECT_THAT(Clamp(x, std::nullopt, 1).ToVector<double>(), ElementsAre(-2, 0, 0.5, 1, 1, IsNan()));
  EXPECT_THAT(Clamp(x, 2, -1).ToVector<double>(), ElementsAre(-1, -1, -1, -1, -1, IsNan()));
  EXPECT_THAT(Clamp(FromValues<int64_t>({-9, 9}), -5, 5).ToVector<int64_t>(), ElementsAre(-5, 5));
}

TEST(Clamp, GradientPassesBetweenTheBoundsAlone) {
  Tensor x = FromValues<double>({-2, 0, 0.5, 1, 3, kNaN}).SetRequiresGrad(true);
  const Tensor dy = Ones({6}, DType::kFloat64);
  const auto gradient = [&](const Tensor& y) {
    return Grad({y}, {x}, {.grad_outputs = {dy}})[0].ToVector<double>();
  };
  EXPECT_THAT(gradient(Clamp(x, 0, 1)), ElementsAre(0, 0, 1, 0, 0, 0));
  EXPECT_THAT(gradient(Clamp(x, 0)), ElementsAre(0, 0, 1, 1, 1, 0));
  EXPECT_THAT(gradient(Clamp(x, std::nullopt, 1)), ElementsAre(1, 1, 1, 0, 0, 0));
}

TEST(Pointwise, RefusesTypesItHasNoValuesIn) {
  try {
    Exp(Ones({2}, DType::kInt64));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "[exp] x: must be of a float type, and is int64; use Cast(x, DType::kFloat32)");
  }
  EXPECT_THROW(Abs(Ones({2}, DType::kBool)), Error);
  EXPECT_THROW(Clamp(Ones({2}, DType::kInt32), 0.5), Error);
  EXPECT_THROW(Tanh(Tensor()), Error);
}

}  // namespace
}  // namespace lemma
