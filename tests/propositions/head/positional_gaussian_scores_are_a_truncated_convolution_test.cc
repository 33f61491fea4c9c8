#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/join.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Scores -(i - j)^2 / 2 s^2 make the causal head a convolution of the values with "
                  "the kernel exp(-m^2 / 2 s^2), m >= 0, cut off at the first position and divided "
                  "by the sum of what is left; s = infinity is the running mean.",
     .source = "Step 4, section 4.5",
     .exact = "up to rounding, against a convolution that is computed directly in float64; "
              "T = 48, s = 0.5, 2, 8, infinity"});

constexpr int64_t kTime = 48;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kBandwidths[] = {0.5, 2, 8, kInfinity};

// Outputs (b, T, d_k) for inputs x (1, T, C) at bandwidth s.
using Smoother = std::function<Tensor(Head& head, const Tensor& x, double s)>;

// S (T, T).
Tensor PositionalScores(double s) {
  const Tensor at = Arange(0, static_cast<double>(kTime), 1, DType::kFloat32);
  return Square(Unsqueeze(at, 1) - Unsqueeze(at, 0)) * (-1 / (2 * s * s));
}

Tensor GaussianHead(Head& head, const Tensor& x, double s) {
  const Tensor v = head.value(x), zero = ZerosLike(v);
  const AttentionOptions options{.causal = true, .mask = PositionalScores(s)};
  return Concat({AttentionDefinition(zero, zero, v, options),
                 ScaledDotProductAttention(zero, zero, v, options)},
                0);
}

// y_i = sum over m = 0..i of g(m) v_(i-m) / sum over m = 0..i of g(m). values (T, n), row-major.
std::vector<double> Convolve(const std::vector<double>& values, int64_t n, double s) {
  std::vector<double> out(values.size());
  for (int64_t i = 0; i < kTime; ++i) {
    double total = 0;
    for (int64_t m = 0; m <= i; ++m) {
      const double g = std::exp(static_cast<double>(-m * m) / (2 * s * s));
      total += g;
      for (int64_t d = 0; d < n; ++d) out[i * n + d] += g * values[(i - m) * n + d];
    }
    for (int64_t d = 0; d < n; ++d) out[i * n + d] /= total;
  }
  return out;
}

std::vector<Measurement> IsAConvolution(const Smoother& smoother) {
  std::vector<Measurement> measured;
  for (double s : kBandwidths) {
    Example e({.batch = 1, .time = kTime});
    const Tensor v = e.head.value(e.x);
    const std::vector<double> expected = Convolve(Doubles(v), v.size(2), s);
    const std::vector<double> y = Doubles(smoother(e.head, e.x, s));
    double distance = 0;
    for (size_t i = 0; i < y.size(); ++i) {
      distance = LargerOf(distance, std::abs(y[i] - expected[i % expected.size()]));
    }
    measured.push_back(
        AtMost(absl::StrCat("largest distance from the convolution, s = ", s), distance, 1e-6));
  }
  return measured;
}

TEST(GaussianScores, AreATruncatedConvolution) { ExpectHolds(IsAConvolution(GaussianHead)); }

TEST(GaussianScores, GoesRedWithContentInTheScores) {
  ExpectBroken(IsAConvolution([](Head& head, const Tensor& x, double s) {
    return head.Forward(x, {.causal = true, .mask = PositionalScores(s)});
  }));
}

// The softmax divides by the sum of the part that is left: zeros before the start would not.
TEST(GaussianScores, GoesRedWithTheSumOfTheWholeKernel) {
  ExpectBroken(IsAConvolution([](Head& head, const Tensor& x, double s) {
    const Tensor kernel = Exp(PositionalScores(s)) * Cast(CausalMask(kTime), DType::kFloat32);
    return MatMul(kernel / Sum(Slice(kernel, 0, kTime - 1)), head.value(x));
  }));
}

TEST(GaussianScores, GoesRedWithoutTheMask) {
  ExpectBroken(IsAConvolution([](Head& head, const Tensor& x, double s) {
    const Tensor v = head.value(x), zero = ZerosLike(v);
    return ScaledDotProductAttention(zero, zero, v, {.mask = PositionalScores(s)});
  }));
}

}  // namespace
}  // namespace lemma::propositions
