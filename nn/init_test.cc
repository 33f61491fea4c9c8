#include "nn/init.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/testing.h"
#include "gtest/gtest.h"
#include "nn/linear.h"

namespace lemma::nn {
namespace {

struct Moments {
  double mean, std, largest;
};

Moments MomentsOf(const Tensor& x) {
  const std::vector<float> values = x.ToVector<float>();
  double sum = 0, squares = 0, largest = 0;
  for (double value : values) {
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  const double n = static_cast<double>(values.size());
  return {sum / n, std::sqrt(squares / n - sum * sum / n / n), largest};
}

TEST(Init, UniformRulesFillTheirBounds) {
  Generator generator(3);
  const auto check = [&](const char* name, double bound, auto fill) {
    Tensor x = Tensor::Empty({60, 90});  // fan_in 90, fan_out 60
    fill(x);
    const Moments moments = MomentsOf(x);
    EXPECT_LE(moments.largest, bound * (1 + 1e-6)) << name;
    EXPECT_GT(moments.largest, 0.99 * bound) << name;
    EXPECT_NEAR(moments.mean, 0, 0.05 * bound) << name;
    EXPECT_NEAR(moments.std, bound / std::sqrt(3.0), 0.03 * bound) << name;
  };
  check("linear", 1 / std::sqrt(90.0), [&](Tensor& x) { init::LinearUniform(x, 90, generator); });
  check("kaiming", std::sqrt(6.0 / 90), [&](Tensor& x) { init::KaimingUniform(x, generator); });
  check("xavier", std::sqrt(6.0 / 150), [&](Tensor& x) { init::XavierUniform(x, generator); });
  check("uniform", 0.5, [&](Tensor& x) { init::Uniform(x, generator, -0.5, 0.5); });
}

TEST(Init, NormalRulesHaveTheirDeviations) {
  Generator generator(3);
  const auto check = [&](const char* name, double std, auto fill) {
    Tensor x = Tensor::Empty({60, 90});
    fill(x);
    const Moments moments = MomentsOf(x);
    EXPECT_NEAR(moments.mean, 0, 0.06 * std) << name;
    EXPECT_NEAR(moments.std, std, 0.04 * std) << name;
    EXPECT_GT(moments.largest, 3 * std) << name;
  };
  check("kaiming", std::sqrt(2.0 / 90), [&](Tensor& x) { init::KaimingNormal(x, generator); });
  check("xavier", 2 * std::sqrt(2.0 / 150),
        [&](Tensor& x) { init::XavierNormal(x, generator, 2); });
  check("normal", 0.02, [&](Tensor& x) { init::Normal(x, generator, 0, 0.02); });
}

TEST(Init, LayersDrawByTheirRules) {
  Generator generator(3);
  const Linear linear({.in = 400, .out = 300}, generator);
  EXPECT_LE(MomentsOf(linear.weight).largest, 0.05 * (1 + 1e-6));
  EXPECT_GT(MomentsOf(linear.weight).largest, 0.0499);
  EXPECT_LE(MomentsOf(linear.bias).largest, 0.05 * (1 + 1e-6));
  EXPECT_GT(MomentsOf(linear.bias).largest, 0.045);
}

TEST(Init, FansNeedAMatrixAndFillingNeedsContiguousElements) {
  Generator generator(3);
  Tensor vector = Zeros({4});
  EXPECT_EQ(ErrorOf([&] { init::KaimingUniform(vector, generator); }),
            "[kaiming_uniform] parameter: fans need at least 2 dimensions; the shape is (4,)");
  Tensor transposed = Transpose(Zeros({2, 3}), 0, 1);
  EXPECT_EQ(ErrorOf([&] { init::Normal(transposed, generator); }),
            "[normal] parameter: it must be contiguous to be filled in the order of the draws");
}

}  // namespace
}  // namespace lemma::nn
