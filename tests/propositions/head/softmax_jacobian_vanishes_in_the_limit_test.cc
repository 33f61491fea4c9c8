#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/functional.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/softmax.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/matrix.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The Jacobian of the softmax at c s vanishes as c grows, if s has one largest "
                  "element: its norm is at most 2 (n - 1) exp(-c gap), gap from the largest to the "
                  "second.",
     .source = "Step 4, Lemma 4.5",
     .exact =
         "the bound up to rounding; the Jacobian is exactly 0 once exp(-c gap) underflows. Where "
         "two elements are the largest the limit is not 0"});

constexpr uint64_t kSeed = 48;
constexpr int64_t kN = 8;

// p = softmax(c s), as a function of c s.
using SoftmaxAt = std::function<Tensor(const Tensor& cs, double c)>;

double JacobianNorm(const SoftmaxAt& softmax, const Tensor& s, double c) {
  const auto f = [&](const Tensor& cs) { return softmax(cs, c); };
  return Matrix(Jacobian(f, s * c)).norm();
}

double Gap(const Tensor& s) {
  std::vector<double> values = s.ToVector<double>();
  std::sort(values.rbegin(), values.rend());
  return values[0] - values[1];
}

// Over 100 draws of s, scaled so that the gap is 1.
std::vector<Measurement> Vanishes(const SoftmaxAt& softmax) {
  std::cout << "seed " << kSeed << '\n';
  std::vector<Measurement> measured;
  for (double c : {1.0, 4.0, 16.0, 32.0}) {
    Generator generator(kSeed);
    double norm = 0;
    for (int trial = 0; trial < 100; ++trial) {
      const Tensor s = RandN({kN}, generator, DType::kFloat64);
      norm = LargerOf(norm, JacobianNorm(softmax, s / Gap(s), c));
    }
    measured.push_back(AtMost(absl::StrCat("largest norm at c gap = ", c), norm,
                              2 * (kN - 1) * std::exp(-c) * (1 + 1e-9)));
  }
  return measured;
}

Tensor Plain(const Tensor& cs, double) { return Softmax(cs, 0); }

TEST(SoftmaxJacobian, VanishesInTheLimit) { ExpectHolds(Vanishes(Plain)); }

TEST(SoftmaxJacobian, IsExactlyZeroPastUnderflow) {
  const Tensor s = FromValues<float>({0, 1, -2, -1});
  ExpectHolds({AtLeast("norm at c gap = 80, float32", JacobianNorm(Plain, s, 80), 1e-36),
               Exactly("norm at c gap = 88, float32", JacobianNorm(Plain, s, 88), 0)});
}

TEST(SoftmaxJacobian, DoesNotVanishWithTwoLargest) {
  const Tensor s = FromValues<double>({1, 1, 0, -1});
  ExpectHolds(AtMost("|norm - 1/2| at c = 1000 where two elements are the largest",
                     std::abs(JacobianNorm(Plain, s, 1000) - 0.5), 1e-15));
}

// What the scale does: the scores that the softmax sees stay of one size.
TEST(SoftmaxJacobian, GoesRedWithTheScale) {
  ExpectBroken(Vanishes([](const Tensor& cs, double c) { return Softmax(cs / c, 0) * c; }));
}

}  // namespace
}  // namespace lemma::propositions
