#include "autograd/ops/cast.h"

#include <cmath>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;

constexpr DType kAll[] = {DType::kFloat32, DType::kFloat64, DType::kBFloat16,
                          DType::kInt32,   DType::kInt64,   DType::kBool};

TEST(Cast, KeepsZeroAndOneBetweenAllTypes) {
  const Tensor values = FromValues<double>({0, 1, 1}, {3, 1});
  for (DType from : kAll) {
    for (DType to : kAll) {
      const Tensor y = Cast(Cast(values, from), to);
      EXPECT_EQ(y.dtype(), to);
      EXPECT_EQ(y.shape(), values.shape());
      EXPECT_THAT(Cast(y, DType::kFloat64).ToVector<double>(), ElementsAre(0, 1, 1))
          << Name(from) << " to " << Name(to);
    }
  }
}

TEST(Cast, RoundsToNearestEvenAndDropsFractions) {
  const Tensor x = FromValues<float>({1 + 0x1p-8f, 1 + 0x3p-8f, -2.75f, 0.5f});
  EXPECT_THAT(Cast(Cast(x, DType::kBFloat16), DType::kFloat32).ToVector<float>(),
              ElementsAre(1, 1 + 0x4p-8f, -2.75f, 0.5f));
  EXPECT_THAT(Cast(x, DType::kInt64).ToVector<int64_t>(), ElementsAre(1, 1, -2, 0));
  EXPECT_THAT(Cast(x, DType::kBool).ToVector<bool>(), ElementsAre(true, true, true, true));
  EXPECT_TRUE(std::isnan(Cast(Scalar(NAN), DType::kBFloat16).Item()));
}

TEST(Cast, ReadsAtStridesAndTakesEmptyTensors) {
  const Tensor x = FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor transposed = Tensor::View(x.storage(), x.dtype(), {3, 2}, {1, 3}, 0);
  EXPECT_THAT(Cast(transposed, DType::kInt32).ToVector<int32_t>(), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(Cast(Zeros({0, 2}), DType::kFloat64).numel(), 0);
}

TEST(Cast, ToItsOwnTypeIsTheTensorItself) {
  const Tensor x = Ones({2});
  EXPECT_TRUE(Cast(x, DType::kFloat32).IsSameAs(x));
}

TEST(Cast, GradientComesBackInTheTypeOfTheInput) {
  Tensor x = FromValues<float>({1, 2}).SetRequiresGrad(true);
  const Tensor y = Cast(x, DType::kBFloat16);
  const Tensor dy = Cast(FromValues<float>({3, -4}), DType::kBFloat16);
  const Tensor dx = Grad({y}, {x}, {.grad_outputs = {dy}})[0];
  EXPECT_EQ(dx.dtype(), DType::kFloat32);
  EXPECT_THAT(dx.ToVector<float>(), ElementsAre(3, -4));
  EXPECT_FALSE(Cast(x, DType::kInt64).requires_grad());
  EXPECT_THROW(Cast(Tensor(), DType::kInt64), Error);
}

}  // namespace
}  // namespace lemma
