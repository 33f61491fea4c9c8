#include "autograd/ops/gelu.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/tensor.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

double Phi(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double Density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

TEST(Gelu, IsXTimesTheNormalDistribution) {
  for (double at : {-30.0, -3.0, -1.0, -0.1, 0.0, 0.2, 1.0, 2.5, 30.0}) {
    Tensor x = Scalar(at, DType::kFloat64).SetRequiresGrad(true);
    const Tensor y = Gelu(x);
    EXPECT_NEAR(y.Item(), at * Phi(at), 1e-15 * (1 + std::abs(at)));
    const double slope = Phi(at) + at * Density(at);
    for (bool create_graph : {false, true}) {
      const Tensor dx = Grad({y}, {x}, {.create_graph = create_graph, .retain_graph = true})[0];
      EXPECT_NEAR(dx.Item(), slope, 1e-14) << at;
    }
    EXPECT_NEAR(Gelu(Scalar(at)).Item(), at * Phi(at), 1e-6 * (1 + std::abs(at)));
  }
}

TEST(Gelu, TheSecondDerivativeComesFromTheComposite) {
  for (double at : {-2.0, 0.0, 0.7}) {
    Tensor x = Scalar(at, DType::kFloat64).SetRequiresGrad(true);
    const Tensor dx = Grad({Gelu(x)}, {x}, {.create_graph = true})[0];
    EXPECT_NEAR(Grad({dx}, {x})[0].Item(), (2 - at * at) * Density(at), 1e-14) << at;
  }
}

TEST(Gelu, TheTanhFormIsItsOwnFunction) {
  double largest = 0;
  for (double at = -5; at <= 5; at += 0.125) {
    Tensor x = Scalar(at, DType::kFloat64).SetRequiresGrad(true);
    const Tensor y = Gelu(x, GeluForm::kTanh);
    const double u = std::sqrt(2 / std::numbers::pi) * (at + 0.044715 * at * at * at);
    EXPECT_NEAR(y.Item(), at / 2 * (1 + std::tanh(u)), 1e-14);
    largest = std::max(largest, std::abs(y.Item() - at * Phi(at)));
    const double h = 1e-5;
    const double slope = (Gelu(Scalar(at + h, DType::kFloat64), GeluForm::kTanh).Item() -
                          Gelu(Scalar(at - h, DType::kFloat64), GeluForm::kTanh).Item()) /
                         (2 * h);
    for (bool create_graph : {false, true}) {
      const Tensor dx = Grad({y}, {x}, {.create_graph = create_graph, .retain_graph = true})[0];
      EXPECT_NEAR(dx.Item(), slope, 1e-9) << at;
    }
  }
  EXPECT_GT(largest, 4e-4);
  EXPECT_LT(largest, 4.8e-4);
}

TEST(Gelu, OverwritesATensorGivenUpButNotOneThatTheGradientNeeds) {
  Tensor x = Ones({4});
  const void* memory = x.raw_data();
  EXPECT_EQ(Gelu(std::move(x)).raw_data(), memory);
  Tensor leaf = Ones({4}).SetRequiresGrad(true);
  memory = leaf.raw_data();
  EXPECT_NE(Gelu(std::move(leaf)).raw_data(), memory);
  EXPECT_THROW(Gelu(Ones({2}, DType::kInt32)), Error);
}

}  // namespace
}  // namespace lemma
