#include "tests/propositions/measure.h"

#include <cmath>

#include "autograd/create.h"
#include "autograd/tensor.h"
#include "gtest/gtest.h"

namespace lemma::propositions {
namespace {

// A measure that loses a NaN would let a broken layer pass.
TEST(Measures, KeepNaN) {
  EXPECT_EQ(LargerOf(1, 2), 2);
  EXPECT_EQ(LargerOf(2, 1), 2);
  EXPECT_EQ(SmallerOf(1, 2), 1);
  EXPECT_EQ(SmallerOf(2, 1), 1);
  for (const double x : {0.0, 1e300, double{INFINITY}, -double{INFINITY}}) {
    EXPECT_TRUE(std::isnan(LargerOf(NAN, x)) && std::isnan(LargerOf(x, NAN))) << x;
    EXPECT_TRUE(std::isnan(SmallerOf(NAN, x)) && std::isnan(SmallerOf(x, NAN))) << x;
  }
  const Tensor with_nan = FromValues<float>({1, NAN, 2});
  EXPECT_TRUE(std::isnan(Largest(with_nan)));
  EXPECT_TRUE(std::isnan(Smallest(with_nan)));
  EXPECT_TRUE(std::isnan(LargestMagnitude(with_nan)));
  EXPECT_TRUE(std::isnan(EuclideanNorm(with_nan)));
}

}  // namespace
}  // namespace lemma::propositions
