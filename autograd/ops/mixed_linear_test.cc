#include "autograd/ops/mixed_linear.h"

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/sum.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/recompute.h"
#include "autograd/storage.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
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

TEST(MixedLinear, IsTheRoundedFloatProductOfRoundedOperands) {
  Generator generator(7);
  // The second is large enough for the tiles of AMX, the third for several of their depths.
  for (const Shape& shape : {Shape{33, 17, 40}, {160, 330, 130}, {130, 400, 1700}}) {
    const Tensor x = RandN({shape[0], shape[2]}, generator);
    const Tensor weight = RandN({shape[1], shape[2]}, generator);
    const Tensor bias = RandN({shape[1]}, generator);
    const Tensor y = MixedLinear(x, weight, bias);
    EXPECT_EQ(y.ToVector<float>(), Round(y).ToVector<float>());
    const Tensor sums = MixedLinear(x, weight, bias, DType::kFloat32);
    EXPECT_NE(sums.ToVector<float>(), Round(sums).ToVector<float>());
    ExpectClose(sums, Linear(Round(x), Round(weight), bias), 1e-4f);
    ExpectClose(y, sums, std::ldexp(1.0f, -8));
  }
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
  // The result in float32 and in bfloat16, and the weight in bfloat16.
  EXPECT_EQ(GetMemoryStats().current_bytes - before, 64 * 64 * (4 + 2 + 2));
}

TEST(MixedLinear, ItsResultIsSavedInHalfTheMemory) {
  const Tensor x = Ones({64, 64}), weight = Ones({64, 64}).SetRequiresGrad(true);
  const int64_t before = GetMemoryStats().current_bytes;
  const Tensor y = Gelu(MixedLinear(x, weight));
  // The output of Gelu, over its input, of which it saved a copy in bfloat16; and the weight.
  EXPECT_EQ(GetMemoryStats().current_bytes - before, 64 * 64 * (4 + 2 + 2));
}

// With values that need all of float32 where they are not rounded.
TEST(MixedLinear, WhatIsSavedOfItsResultIsTheResult) {
  Generator generator(9);
  const Tensor x = RandN({33, 40}, generator);
  const Tensor weight = RandN({17, 40}, generator).SetRequiresGrad(true);
  Tensor y = MixedLinear(x, weight);
  const Tensor leaf = Clone(y).Detach().SetRequiresGrad(true);
  const Tensor dy = Grad({Sum(Gelu(y))}, {y})[0];
  EXPECT_EQ(dy.ToVector<float>(), Grad({Sum(Gelu(leaf))}, {leaf})[0].ToVector<float>());
}

TEST(MixedLinear, AViewOfItsResultIsSavedWithoutACopyBesideIt) {
  const Tensor x = Ones({64, 64}), weight = Ones({64, 64}).SetRequiresGrad(true);
  const int64_t before = GetMemoryStats().current_bytes;
  const Tensor y = Square(Transpose(MixedLinear(x, weight), 0, 1));
  // What Square saved and gave, and the weight.
  EXPECT_EQ(GetMemoryStats().current_bytes - before, 64 * 64 * (4 + 4 + 2));
}

TEST(MixedLinear, AResultThatChangedBeforeItWasSavedIsSavedAsItIs) {
  const Tensor x = Ones({1, 1});
  const Tensor weight = Ones({1, 1}).SetRequiresGrad(true);
  Tensor y = MixedLinear(x, weight);
  Tensor values = y.Detach();
  Fill(values, 1.001);  // no bfloat16
  EXPECT_EQ(Grad({Sum(Square(y))}, {y})[0].Item(), 2 * double{1.001f});
}

TEST(MixedLinear, IsRecomputedToTheSameBits) {
  Generator generator(12);
  const Tensor x = RandN({33, 40}, generator), w1 = RandN({40, 40}, generator);
  const Tensor w2 = RandN({17, 40}, generator).SetRequiresGrad(true);
  const auto gradients = [&](bool recompute) {
    const Tensor first = Clone(w1).SetRequiresGrad(true);
    const auto block = [&](const TensorList& in) {
      return TensorList{MixedLinear(Gelu(in[0]), w2)};
    };
    const Tensor hidden = MixedLinear(x, first);
    const Tensor y = recompute ? Recompute(block, {hidden})[0] : block({hidden})[0];
    std::vector<std::vector<float>> values;
    for (const Tensor& g : Grad({Sum(Square(y))}, {first, w2})) {
      values.push_back(g.ToVector<float>());
    }
    return values;
  };
  EXPECT_EQ(gradients(true), gradients(false));
}

TEST(MixedLinear, AnAnomalyIsNamedAsItsOwn) {
  const Tensor x = Full({1, 1}, std::numeric_limits<float>::infinity());
  EXPECT_THAT(ErrorOf([&] {
                AnomalyDetection anomaly_detection;
                MixedLinear(x, Ones({1, 1}));
              }),
              testing::HasSubstr("[mixed_linear] anomaly: the output is inf"));
}

TEST(MixedLinear, ItsResultMayChangeAfterItWasSaved) {
  Generator generator(10);
  const Tensor x = RandN({33, 40}, generator);
  const Tensor weight = RandN({17, 40}, generator).SetRequiresGrad(true);
  const auto gradient = [&](bool change) {
    Tensor y = MixedLinear(x, weight);
    const Tensor loss = Sum(Gelu(y));
    Tensor values = y.Detach();
    if (change) Fill(values, 0);
    return Grad({loss}, {weight})[0].ToVector<float>();
  };
  EXPECT_EQ(gradient(true), gradient(false));
}

TEST(MixedLinear, HasSecondGradientsThroughWhatIsSavedOfIt) {
  Generator generator(11);
  const Tensor x = RandN({33, 40}, generator).SetRequiresGrad(true);
  const Tensor weight = RandN({17, 40}, generator);
  const auto second = [&](const Tensor& y) {
    const Tensor dx = Grad({Sum(Square(y))}, {x}, {.create_graph = true})[0];
    return Grad({Sum(Square(dx))}, {x})[0];
  };
  const Tensor expected = second(Linear(x, weight)), got = second(MixedLinear(x, weight));
  const double size = std::sqrt(Sum(Square(expected)).Item());
  EXPECT_GT(size, 0);
  EXPECT_LT(std::sqrt(Sum(Square(got - expected)).Item()), 0.02 * size);
}

TEST(RoundedCopy, IsConvertedOnceUntilTheWeightChanges) {
  Tensor weight = FromValues<float>({1, 2, 3, 4}, {2, 2});
  const Tensor first = RoundedCopy(weight);
  EXPECT_EQ(RoundedCopy(weight).raw_data(), first.raw_data());
  Fill(weight, 5);
  EXPECT_EQ(Cast(RoundedCopy(weight), DType::kFloat32).ToVector<float>(),
            (std::vector<float>{5, 5, 5, 5}));
  EXPECT_EQ(Cast(first, DType::kFloat32).ToVector<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(RoundedCopy, OfAPartIsThatOfThePart) {
  const Tensor weight = FromValues<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const auto values = [](const Tensor& x) {
    return Cast(RoundedCopy(x), DType::kFloat32).ToVector<float>();
  };
  EXPECT_EQ(values(Slice(weight, 0, 0, 1)), (std::vector<float>{1, 2}));
  EXPECT_EQ(values(weight), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values(Slice(weight, 0, 1, 3)), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(values(Transpose(weight, 0, 1)), (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

TEST(RoundedCopy, GoesWhenTheWeightChanges) {
  Tensor weight = Ones({64, 64});
  const int64_t before = GetMemoryStats().current_bytes;
  RoundedCopy(weight);
  Fill(weight, 5);
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
}

TEST(RoundedCopy, GoesAfterTheProductsOfABackward) {
  Tensor x = Ones({64, 64}).SetRequiresGrad(true), weight = Ones({64, 64}).SetRequiresGrad(true);
  const int64_t before = GetMemoryStats().current_bytes;
  Backward(Sum(MixedLinear(x, weight)));
  // The two gradients.
  EXPECT_EQ(GetMemoryStats().current_bytes - before, 2 * 64 * 64 * 4);
}

TEST(RoundedCopy, GoesWithTheWeight) {
  const int64_t before = GetMemoryStats().current_bytes;
  {
    const Tensor weight = Ones({64, 64});
    RoundedCopy(weight);
    EXPECT_EQ(GetMemoryStats().current_bytes - before, 64 * 64 * (4 + 2));
  }
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
}

}  // namespace
}  // namespace lemma
