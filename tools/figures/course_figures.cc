#include "tools/figures/course_figures.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "nn/embedding.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"

namespace lemma::tools {
namespace {

// The notebook's sizes.
constexpr int64_t kWidth = 32, kHeadWidth = 16, kTime = 8, kBatch = 4, kVocab = 65;

struct Head {
  explicit Head(Generator& generator)
      : key({kWidth, kHeadWidth, false}, generator),
        query({kWidth, kHeadWidth, false}, generator),
        value({kWidth, kHeadWidth, false}, generator) {}

  Tensor Weights(const Tensor& x) {  // (B, T, T)
    Tensor weights;
    AttentionDefinition(query(x), key(x), value(x), {.causal = true}, &weights);
    return weights;
  }

  nn::Linear key, query, value;
};

// The generator as the notebook has left it when it comes to section 4.4.
Generator AfterSection3() {
  Generator generator(0);
  Head head(generator);                       // 4.1
  RandN({kBatch, kTime, kWidth}, generator);  // its input
  RandN({kBatch, kWidth}, generator);         // 4.2: the perturbation
  for (const int64_t d_k : {16, 64, 256}) {   // Lemma 4.5: q and k
    RandN({1, kTime, d_k}, generator);
    RandN({1, kTime, d_k}, generator);
  }
  RandN({1, kTime, kTime}, generator);  // exercise 4: scores
  Head unmasked(generator);             // 4.3
  RandPerm(kTime, generator);
  nn::Embedding({.rows = kTime, .width = kWidth}, generator);   // (b) positions
  nn::Embedding({.rows = kVocab, .width = kWidth}, generator);  // (c) tokens, positions
  nn::Embedding({.rows = kTime, .width = kWidth}, generator);
  RandInt(0, kVocab, {1, kTime}, generator);
  return generator;
}

std::string BandwidthTitle(double bandwidth) {
  if (std::isinf(bandwidth)) return "s = ∞: W_Q = W_K = 0, the running mean";
  return absl::StrFormat("bandwidth s = %g", bandwidth);
}

// A row with mean 0 and variance 1.
std::vector<double> StandardRow(int64_t width) {
  Generator generator(0);
  std::vector<double> row(width);
  generator.Normal(absl::MakeSpan(row));
  double sum = 0, squares = 0;
  for (const double u : row) sum += u;
  for (double& u : row) u -= sum / static_cast<double>(width);
  for (const double u : row) squares += u * u;
  for (double& u : row) u /= std::sqrt(squares / static_cast<double>(width));
  return row;
}

double Norm(const std::vector<double>& x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace

MatrixFigure UntrainedHeads(absl::Span<const int64_t> tokens, int64_t vocab, int64_t seeds) {
  const NoGrad no_grad;
  const auto size = static_cast<int64_t>(tokens.size());
  Generator generator = AfterSection3();
  nn::Embedding tok({.rows = vocab, .width = kWidth}, generator);
  nn::Embedding pos({.rows = size, .width = kWidth}, generator);
  const Tensor x = tok(FromValues<int64_t>(tokens, {1, size})) + pos(Arange(size));  // (1, T, C)
  MatrixFigure figure;
  figure.title = "Untrained causal attention: what the mask alone imposes";
  figure.subtitle =
      "Heads from different seeds on one text. Each row is a token and sums to 1 over the tokens "
      "up "
      "to itself.";
  figure.columns = seeds;
  for (int64_t seed = 0; seed < seeds; ++seed) {
    Generator own(seed);
    figure.panels.push_back(
        {.title = absl::StrCat("seed ", seed), .weights = Head(own).Weights(x).ToVector<float>()});
  }
  return figure;
}

MatrixFigure KernelSmoothing(int64_t size, const std::vector<double>& bandwidths) {
  const NoGrad no_grad;
  const Tensor nothing = Zeros({1, size, 1});  // q = k = 0: the mask alone makes the scores
  MatrixFigure figure;
  figure.title = "Attention as kernel smoothing: scores by position alone";
  figure.subtitle =
      "Scores -(i - j)² / 2s² over the past give a Gaussian smoother, the same for every text. "
      "Each "
      "row is a position and sums to 1.";
  figure.columns = static_cast<int64_t>(bandwidths.size());
  for (const double s : bandwidths) {
    std::vector<float> scores;
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        const auto distance = static_cast<double>(i - j);
        scores.push_back(static_cast<float>(-distance * distance / (2 * s * s)));
      }
    }
    Tensor weights;
    AttentionDefinition(nothing, nothing, nothing,
                        {.causal = true, .mask = FromVector(scores, {size, size})}, &weights);
    figure.panels.push_back({.title = BandwidthTitle(s), .weights = weights.ToVector<float>()});
  }
  return figure;
}

Chart LayerNormCurve(int64_t width, double eps) {
  const NoGrad no_grad;
  constexpr double kScale = 3.7;  // the notebook's c in LN(cu) = LN(u)
  const std::vector<double> row = StandardRow(width);
  const double radius = std::sqrt(static_cast<double>(width));
  nn::LayerNorm layer({.width = width, .eps = eps, .elementwise_affine = false});
  const auto normalised = [&](double scale) {
    std::vector<double> scaled = row;
    for (double& u : scaled) u *= scale;
    return layer(FromVector(scaled, {1, width})).ToVector<double>();
  };
  Curve formula{.name = "√(v / (v + ε))", .x = {}, .y = {}, .colour = 0};
  Curve norm{.name = "‖LN(u)‖ / √d, measured",
             .x = {},
             .y = {},
             .style = CurveStyle::kPoints,
             .colour = 0};
  Curve change{.name = "‖LN(3.7 u) - LN(u)‖ / √d, measured",
               .x = {},
               .y = {},
               .style = CurveStyle::kPoints,
               .colour = 1};
  for (double exponent = -9; exponent <= 2.001; exponent += 0.05) {
    const double variance = std::pow(10, exponent);
    formula.x.push_back(variance);
    formula.y.push_back(std::sqrt(variance / (variance + eps)));
  }
  for (double exponent = -9; exponent <= 2.001; exponent += 0.25) {
    const double variance = std::pow(10, exponent), scale = std::sqrt(variance);
    const std::vector<double> y = normalised(scale);
    std::vector<double> difference = normalised(kScale * scale);
    for (size_t i = 0; i < y.size(); ++i) difference[i] -= y[i];
    norm.x.push_back(variance);
    norm.y.push_back(Norm(y) / radius);
    change.x.push_back(variance);
    change.y.push_back(Norm(difference) / radius);
  }
  return {.title = "LayerNorm reaches its sphere only where the variance is far above ε",
          .x_label = absl::StrFormat("variance v of the row u (d = %d)", width),
          .y_label = "1 = on the sphere of radius √d",
          .curves = {std::move(formula), std::move(norm), std::move(change)},
          .lines = {},
          .vertical_lines = {{absl::StrCat("ε = ", absl::StrReplaceAll(absl::StrFormat("%g", eps),
                                                                       {{"e-0", "e-"}})),
                              eps}},
          .log_x = true,
          .from_zero = true};
}

}  // namespace lemma::tools
