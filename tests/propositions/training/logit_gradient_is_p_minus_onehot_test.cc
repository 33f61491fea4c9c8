#include <functional>
#include <iostream>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The gradient of the mean cross entropy with respect to the logits is "
                  "(p - onehot) / N: the probabilities less 1 at the target; each row sums to 0.",
     .source = "what the course's next steps state",
     .exact = "up to rounding: 1e-15 in float64, 1e-6 of 1/N in float32 (the entries are below "
              "1/N)"});

constexpr uint64_t kSeed = 61;
constexpr int64_t kRows = 96, kVocab = 65;

using LossFunction = std::function<Tensor(const Tensor& logits, const Tensor& targets)>;

// Distances are those of N times the gradient, whose entries lie in [-1, 1].
std::vector<Measurement> GradientOfLogits(const LossFunction& loss) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  const Tensor targets = RandInt(0, kVocab, {kRows}, generator);
  const Tensor logits64 = RandN({kRows, kVocab}, generator, DType::kFloat64) * 3.0;
  const auto scaled_gradient = [&](DType dtype) {
    Tensor logits = Cast(logits64.Detach(), dtype);
    logits.SetRequiresGrad(true);
    return Grad({loss(logits, targets)}, {logits})[0] * static_cast<double>(kRows);
  };
  const auto formula = [&](DType dtype) {
    const Tensor p = Softmax(Cast(Cast(logits64, dtype), DType::kFloat64), 1);
    return p - OneHot(targets, kVocab, DType::kFloat64);
  };
  const Tensor f64 = scaled_gradient(DType::kFloat64), f32 = scaled_gradient(DType::kFloat32);
  return {
      AtMost("largest distance from the formula in float64",
             LargestDifference(f64, formula(DType::kFloat64)), 1e-14),
      AtMost("in float32", LargestDifference(f32, formula(DType::kFloat32)), 1e-6),
      AtMost("largest |sum of a row| in float64", LargestMagnitude(Sum(f64, {1})), 1e-13),
  };
}

TEST(LogitGradient, IsProbabilitiesMinusOnehot) {
  ExpectHolds(GradientOfLogits(
      [](const Tensor& logits, const Tensor& targets) { return CrossEntropy(logits, targets); }));
}

TEST(LogitGradient, GoesRedForTheSumOfTheLosses) {
  ExpectBroken(GradientOfLogits([](const Tensor& logits, const Tensor& targets) {
    return CrossEntropy(logits, targets, {.reduction = Reduction::kSum});
  }));
}

TEST(LogitGradient, GoesRedWithSmoothedLabels) {
  ExpectBroken(GradientOfLogits([](const Tensor& logits, const Tensor& targets) {
    return CrossEntropy(logits, targets, {.label_smoothing = 0.1});
  }));
}

}  // namespace
}  // namespace lemma::propositions
