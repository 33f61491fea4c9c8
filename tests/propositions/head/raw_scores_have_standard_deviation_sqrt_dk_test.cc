#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "For q and k with independent coordinates of mean 0 and variance 1, the raw score "
         "q.k has standard deviation sqrt(d_k), and q.k / sqrt(d_k) has 1.",
     .source = "Step 4, Lemma 4.5",
     .exact = "the variance is d_k exactly, for each d_k; the estimate lies in an interval of "
              "confidence 1 - 1e-5. In the untrained head q and k have variance 1/3 each, so there "
              "it is sqrt(d_k) / 3"});

constexpr double kZ = 4.42;  // of the normal distribution: two sides of 1e-5 / 2
constexpr int64_t kDraws = 20000;
constexpr uint64_t kSeed = 45;

// q and k (n, d_k).
struct Pairs {
  Tensor q, k;
};
using Draw = std::function<Pairs(int64_t n, int64_t dk, Generator& generator)>;
using Scale = std::function<double(int64_t dk)>;

Pairs Normal(int64_t n, int64_t dk, Generator& generator) {
  const Tensor q = RandN({n, dk}, generator);
  return {q, RandN({n, dk}, generator)};
}

double OverRoot(int64_t dk) { return 1 / std::sqrt(static_cast<double>(dk)); }

double MeanSquare(const Tensor& x) {
  double sum = 0;
  for (double value : Doubles(x)) sum += value * value;
  return sum / static_cast<double>(x.numel());
}

// Where a root of the mean of n squares lies: the score of normal q and k has fourth moment
// (3 + 6 / d_k) d_k^2, so its square has the relative variance 2 + 6 / d_k.
double RelativeError(int64_t dk, int64_t n) {
  return kZ / 2 * std::sqrt((2 + 6.0 / dk) / static_cast<double>(n));
}

std::vector<Measurement> StandardDeviations(const Draw& draw, const Scale& scale) {
  std::cout << "seed " << kSeed << ", " << kDraws << " draws\n";
  Generator generator(kSeed);
  std::vector<Measurement> measured;
  for (int64_t dk : {16, 64, 256}) {
    const Pairs pairs = draw(kDraws, dk, generator);
    const Tensor raw = Sum(pairs.q * pairs.k, {1});
    const double root = std::sqrt(static_cast<double>(dk)), error = RelativeError(dk, kDraws);
    measured.push_back(Between(absl::StrCat("of raw scores, d_k = ", dk), root * (1 - error),
                               std::sqrt(MeanSquare(raw)), root * (1 + error)));
    measured.push_back(
        Between("of scaled ones", 1 - error, std::sqrt(MeanSquare(raw * scale(dk))), 1 + error));
  }
  return measured;
}

// Scores of different positions in untrained heads, d_k = 16: each head gives one mean of squares,
// and these are independent.
Measurement OfUntrainedHeads(const std::function<Tensor(Head&, const Tensor&)>& raw_scores) {
  constexpr int kHeads = 300;
  double sum = 0, squares = 0;
  for (uint64_t seed = 0; seed < kHeads; ++seed) {
    Example e(Case{.seed = seed});
    const std::vector<double> s = Doubles(raw_scores(e.head, e.x));  // (B, T, T)
    double mean = 0;
    for (size_t i = 0; i < s.size(); ++i) {
      if (i / 8 % 8 != i % 8) mean += s[i] * s[i] / static_cast<double>(s.size() / 8 * 7);
    }
    sum += mean / kHeads;
    squares += mean * mean / kHeads;
  }
  const double error = kZ * std::sqrt((squares - sum * sum) / (kHeads - 1));
  const double expected = 16.0 / 9;
  return Between("of 300 untrained heads, d_k = 16 (sqrt(16) / 3)",
                 std::sqrt(std::max(0.0, expected - error)), std::sqrt(sum),
                 std::sqrt(expected + error));
}

Tensor Raw(Head& head, const Tensor& x) { return head.Scores(x) * 4.0; }

TEST(RawScores, HaveStandardDeviationSqrtDk) { ExpectHolds(StandardDeviations(Normal, OverRoot)); }

TEST(RawScores, OfUntrainedHeadsHaveAThirdOfIt) { ExpectHolds(OfUntrainedHeads(Raw)); }

TEST(RawScores, GoesRedWithTheScaleOneOverDk) {
  ExpectBroken(StandardDeviations(Normal, [](int64_t dk) { return 1.0 / dk; }));
}

TEST(RawScores, GoesRedWhereKeysAreTheQueries) {
  ExpectBroken(StandardDeviations(
      [](int64_t n, int64_t dk, Generator& generator) {
        const Tensor q = RandN({n, dk}, generator);
        return Pairs{q, q};
      },
      OverRoot));
}

TEST(RawScores, GoesRedWithHeadsOfUnitVariance) {
  ExpectBroken(
      OfUntrainedHeads([](Head& head, const Tensor& x) { return Raw(head, x * std::sqrt(3.0)); }));
}

}  // namespace
}  // namespace lemma::propositions
