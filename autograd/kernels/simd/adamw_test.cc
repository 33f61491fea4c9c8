#include "autograd/kernels/simd/adamw.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "autograd/kernels/adamw_args.h"
#include "autograd/kernels/reference/adamw.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

// Parameters of several sizes, one behind the other in each array.
template <typename T>
struct State {
  explicit State(std::vector<int64_t> sizes) : sizes(sizes) {
    int64_t n = 0;
    for (const int64_t size : sizes) n += size;
    param = Cast<T>(RandomFloats(n, 1.0f, 1));
    grad = Cast<T>(RandomFloats(n, 0.1f, 2));
    exp_avg = Cast<T>(RandomFloats(n, 0.1f, 3));
    exp_avg_sq = Cast<T>(RandomFloats(n, 0.1f, 4));
    for (T& value : exp_avg_sq) value *= value;
  }
  std::vector<AdamWTensor<T>> Tensors() {
    std::vector<AdamWTensor<T>> tensors;
    int64_t at = 0;
    for (const int64_t size : sizes) {
      tensors.push_back(
          {param.data() + at, grad.data() + at, exp_avg.data() + at, exp_avg_sq.data() + at, size});
      at += size;
    }
    return tensors;
  }
  std::vector<ConstRun<T>> Gradients() {
    std::vector<ConstRun<T>> runs;
    for (const AdamWTensor<T>& tensor : Tensors()) runs.push_back({tensor.grad, tensor.n});
    return runs;
  }

  std::vector<int64_t> sizes;
  std::vector<T> param, grad, exp_avg, exp_avg_sq;
};

const AdamWOptions kOptions = {.lr = 3e-3,
                               .beta1 = 0.9,
                               .beta2 = 0.95,
                               .eps = 1e-8,
                               .weight_decay = 0.1,
                               .step = 3,
                               .grad_scale = 0.7};

TEST(AdamW, HasTheBitsOfTheReference) {
  ForEachTarget([&] {
    State<float> actual({1, 15, 0, 17, 64, 8192, 20001}), expected = actual;
    for (int64_t step = 1; step <= 3; ++step) {
      AdamWOptions options = kOptions;
      options.step = step;
      AdamWUpdate(actual.Tensors(), options);
      reference::AdamWUpdate<float>(expected.Tensors(), options);
    }
    EXPECT_EQ(actual.param, expected.param);
    EXPECT_EQ(actual.exp_avg, expected.exp_avg);
    EXPECT_EQ(actual.exp_avg_sq, expected.exp_avg_sq);
    EXPECT_EQ(actual.grad, expected.grad);
  });
}

TEST(AdamW, AgreesWithDouble) {
  State<float> actual({100});
  State<double> expected({100});
  AdamWUpdate(actual.Tensors(), kOptions);
  reference::AdamWUpdate<double>(expected.Tensors(), kOptions);
  ExpectClose(actual.param, expected.param, 1e-6);
  ExpectClose(actual.exp_avg, expected.exp_avg, 1e-7);
  ExpectClose(actual.exp_avg_sq, expected.exp_avg_sq, 1e-8);
}

// By hand: one element, first step. m = 0.1 g and v = 0.001 g^2, corrected to g and g^2, so that
// the step is lr * g / (|g| + eps) whatever g is.
TEST(AdamW, TheFirstStepIsTheLearningRate) {
  float param = 2.0f, grad = 0.5f, m = 0, v = 0;
  const AdamWTensor<float> tensor{&param, &grad, &m, &v, 1};
  AdamWUpdate({&tensor, 1}, {.lr = 0.01, .weight_decay = 0.1, .step = 1});
  EXPECT_NEAR(param, 2.0 * (1 - 0.01 * 0.1) - 0.01, 1e-6);
  EXPECT_NEAR(m, 0.05, 1e-8);
  EXPECT_NEAR(v, 0.00025, 1e-9);
}

TEST(SumOfSquares, AgreesWithTheReference) {
  ForEachTarget([&] {
    State<float> state({1, 15, 0, 17, 64, 8193, 20001});
    const double expected = reference::SumOfSquares<float>(state.Gradients());
    EXPECT_NEAR(SumOfSquares(state.Gradients()), expected, 1e-10 * expected);
  });
  EXPECT_EQ(SumOfSquares({}), 0.0);
}

TEST(AdamW, SameBitsForAnyNumberOfThreads) {
  ExpectSameBitsForAnyThreads([&] {
    State<float> state({100, 50001, 7});
    AdamWUpdate(state.Tensors(), kOptions);
    return state.param;
  });
  State<float> state({100, 50001, 7});
  ExpectSameBitsForAnyThreads([&] { return std::vector<double>{SumOfSquares(state.Gradients())}; });
}

}  // namespace
}  // namespace lemma::kernels::simd
