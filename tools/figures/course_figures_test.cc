#include "tools/figures/course_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/random.h"
#include "datasets/char_tokenizer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/figures/matrix_figure.h"
#include "tools/plot.h"

namespace lemma::tools {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The first `count` tokens of some text.
std::vector<int64_t> Tokens(int64_t count) {
  std::vector<int64_t> tokens(count);
  Generator generator(9);
  generator.RandInt(absl::MakeSpan(tokens), 0, 65);
  return tokens;
}

TEST(UntrainedHeads, AreFiveDifferentStochasticTriangles) {
  const MatrixFigure figure = UntrainedHeads(Tokens(48), 65);
  ASSERT_EQ(figure.panels.size(), 5u);
  EXPECT_EQ(figure.columns, 5);
  EXPECT_EQ(figure.panels[4].title, "seed 4");
  for (const Panel& panel : figure.panels) {
    ASSERT_EQ(panel.weights.size(), 48u * 48u);
    EXPECT_EQ(panel.weights[0], 1);
    for (size_t i = 0; i < 48; ++i) {
      double sum = 0;
      for (size_t j = 0; j < 48; ++j) {
        EXPECT_EQ(panel.weights[i * 48 + j] > 0, j <= i);
        sum += panel.weights[i * 48 + j];
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
  EXPECT_NE(figure.panels[0].weights, figure.panels[1].weights);
}

// Step 4's notebook run from the top by PyTorch 2.15: the last row of each panel, columns 0, 1, 2
// and 47.
TEST(UntrainedHeads, AreTheNotebooks) {
  const std::vector<int64_t> tokens =
      datasets::CharTokenizer::Course()
          .Encode("First Citizen:\nBefore we proceed any further, he")
          .value();
  ASSERT_EQ(tokens.size(), 48u);
  const double golden[5][4] = {{0.0187667, 0.0190155, 0.0137651, 0.0313127},
                               {0.0215707, 0.0106014, 0.0389874, 0.0069657},
                               {0.0034522, 0.0161645, 0.0588016, 0.0413267},
                               {0.0168670, 0.0214613, 0.0092936, 0.0906951},
                               {0.0893506, 0.0135115, 0.0076284, 0.0110783}};
  const MatrixFigure figure = UntrainedHeads(tokens, 65);
  for (size_t seed = 0; seed < 5; ++seed) {
    const float* const row = figure.panels[seed].weights.data() + 47 * 48;
    EXPECT_NEAR(row[0], golden[seed][0], 1e-6);
    EXPECT_NEAR(row[1], golden[seed][1], 1e-6);
    EXPECT_NEAR(row[2], golden[seed][2], 1e-6);
    EXPECT_NEAR(row[47], golden[seed][3], 1e-6);
  }
}

TEST(UntrainedHeads, DependOnTextAndSeedsAlone) {
  const MatrixFigure first = UntrainedHeads(Tokens(20), 65, 2);
  EXPECT_EQ(first.panels[1].weights, UntrainedHeads(Tokens(20), 65, 3).panels[1].weights);
  EXPECT_NE(first.panels[1].weights,
            UntrainedHeads(std::vector<int64_t>(20, 1), 65).panels[1].weights);
}

// Rows i of a causal kernel, computed from its definition.
double Kernel(int64_t i, int64_t j, double s) {
  if (j > i) return 0;
  const auto value = [&](int64_t k) {
    const auto distance = static_cast<double>(i - k);
    return std::exp(-distance * distance / (2 * s * s));
  };
  double sum = 0;
  for (int64_t k = 0; k <= i; ++k) sum += value(k);
  return value(j) / sum;
}

TEST(KernelSmoothing, IsTheTruncatedGaussian) {
  const std::vector<double> bandwidths = {0.5, 2, 8, kInfinity};
  const MatrixFigure figure = KernelSmoothing(48, bandwidths);
  ASSERT_EQ(figure.panels.size(), 4u);
  for (size_t p = 0; p < 4; ++p) {
    for (int64_t i = 0; i < 48; ++i) {
      for (int64_t j = 0; j < 48; ++j) {
        EXPECT_NEAR(figure.panels[p].weights[i * 48 + j], Kernel(i, j, bandwidths[p]), 1e-6);
      }
    }
  }
  EXPECT_EQ(figure.panels[1].title, "bandwidth s = 2");
  EXPECT_FLOAT_EQ(figure.panels[3].weights[9 * 48 + 4], 0.1f);  // the running mean of ten
}

TEST(LayerNormCurve, FollowsTheFormulaAndFailsNearEps) {
  const Chart chart = LayerNormCurve();
  ASSERT_EQ(chart.curves.size(), 3u);
  const Curve& norm = chart.curves[1];
  ASSERT_GT(norm.x.size(), 20u);
  for (size_t i = 0; i < norm.x.size(); ++i) {
    EXPECT_NEAR(norm.y[i], std::sqrt(norm.x[i] / (norm.x[i] + 1e-5)), 1e-9) << norm.x[i];
  }
  EXPECT_LT(norm.y.front(), 0.02);
  EXPECT_NEAR(norm.y.back(), 1, 1e-6);
  const Curve& change = chart.curves[2];
  EXPECT_GT(*std::max_element(change.y.begin(), change.y.end()), 0.3);
  EXPECT_LT(change.y.back(), 1e-6);
}

}  // namespace
}  // namespace lemma::tools
