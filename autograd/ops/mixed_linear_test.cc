#include "autograd/ops/mixed_linear.h"

#include <cmath>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/sum.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/storage.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

Tensor Round(const Tensor& x) { return Cast(Cast(x, DType::kBFloat16), DType::kFloat32); }

void ExpectClose(const Tensor& a, const Tensor& b, float tolerance) {
  ASSERT_EQ(a.shape(), b.shape());
  const auto x = a.ToVector<float>(), y = b.ToVector<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i], y[i], tolerance * (1 + std::abs(y[i]))) << i;
  }
}

TEST(MixedLinear, IsTheFloatProductOfRoundedOperands) {
  Generator generator(7);
  const Tensor x = RandN({33, 40}, generator), weight = RandN({17, 40}, generator);
  const Tensor bias = RandN({17}, generator);
  ExpectClose(MixedLinear(x, weight, bias), Linear(Round(x), Round(weight), bias), 1e-5f);
}

TEST(MixedLinear, ItsGradientsAreProductsOfRoundedOperands) {
  Generator generator(8);
  Tensor x = RandN({33, 40}, generator).SetRequiresGrad(true);
  Tensor weight = RandN({17, 40}, generator).SetRequiresGrad(true);
  const Tensor dy = RandN({33, 17}, generator);
  Backward(Sum(MixedLinear(x, weight) * dy));
  ExpectClose(x.grad(), MatMul(Round(dy), Round(weight.Detach())), 1e-5f);
  ExpectClose(weight.grad(), MatMul(Transpose(Round(dy), 0, 1), Round(x.Detach())), 1e-5f);
}

TEST(MixedLinear, KeepsNoCopyOfItsInput) {
  const Tensor x = Ones({64, 64}).SetRequiresGrad(true);
  const Tensor weight = Ones({64, 64}).SetRequiresGrad(true);
  const int64_t before = GetMemoryStats().current_bytes;
  const Tensor y = MixedLinear(x, weight);
  // The product in float32 and the weight in bfloat16.
  EXPECT_EQ(GetMemoryStats().current_bytes - before, 64 * 64 * (4 + 2));
}

TEST(RoundedWeight, IsConvertedOnceUntilTheWeightChanges) {
  Tensor weight = FromValues<float>({1, 2, 3, 4}, {2, 2});
  const Tensor first = RoundedWeight(weight);
  EXPECT_EQ(RoundedWeight(weight).raw_data(), first.raw_data());
  Fill(weight, 5);
  EXPECT_EQ(Cast(RoundedWeight(weight), DType::kFloat32).ToVector<float>(),
            (std::vector<float>{5, 5, 5, 5}));
  EXPECT_EQ(Cast(first, DType::kFloat32).ToVector<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(RoundedWeight, OfAPartIsThatOfThePart) {
  const Tensor weight = FromValues<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto values = [](const Tensor& x) {
    return Cast(RoundedWeight(x), DType::kFloat32).ToVector<float>();
  };
  EXPECT_EQ(values(Slice(weight, 0, 0, 1)), (std::vector<float>{1, 2}));
  EXPECT_EQ(values(weight), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values(Slice(weight, 0, 1, 3)), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(values(Transpose(weight, 0, 1)), (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

TEST(RoundedWeight, GoesWhenTheWeightChanges) {
  Tensor weight = Ones({64, 64});
  const int64_t before = GetMemoryStats().current_bytes;
  RoundedWeight(weight);
  Fill(weight, 5);
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
}

TEST(RoundedWeight, GoesAfterTheProductsOfABackward) {
  Tensor x = Ones({64, 64}).SetRequiresGrad(true), weight = Ones({64, 64}).SetRequiresGrad(true);
  const int64_t before = GetMemoryStats().current_bytes;
  Backward(Sum(MixedLinear(x, weight)));
  // The two gradients.
  EXPECT_EQ(GetMemoryStats().current_bytes - before, 2 * 64 * 64 * 4);
}

TEST(RoundedWeight, GoesWithTheWeight) {
  const int64_t before = GetMemoryStats().current_bytes;
  {
    const Tensor weight = Ones({64, 64});
    RoundedWeight(weight);
    EXPECT_EQ(GetMemoryStats().current_bytes - before, 64 * 64 * (4 + 2));
  }
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
}

}  // namespace
}  // namespace lemma
