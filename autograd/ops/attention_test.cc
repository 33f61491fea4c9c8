#include "autograd/ops/attention.h"

#include <cmath>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/join.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::Each;

struct Qkv {
  Tensor q, k, v;  // (2, 3, T, 4)
};

Qkv Draw(int64_t t, DType dtype = DType::kFloat32) {
  Generator generator(1);
  const Shape shape{2, 3, t, 4};
  return {RandN(shape, generator, dtype).SetRequiresGrad(true),
          RandN(shape, generator, dtype).SetRequiresGrad(true),
          RandN(shape, generator, dtype).SetRequiresGrad(true)};
}

std::vector<float> Row(const Tensor& x, int64_t i) { return Select(x, 2, i).ToVector<float>(); }

TEST(Attention, ARowWhoseKeysAreAllHiddenIsZeroAndLeavesTheOthersAlone) {
  const auto [q, k, v] = Draw(5);
  Tensor mask = Ones({5, 5}, DType::kBool);
  const Tensor all = ScaledDotProductAttention(q, k, v);
  for (int64_t j = 0; j < 5; ++j) mask.mutable_data<bool>()[2 * 5 + j] = false;
  const Tensor y = ScaledDotProductAttention(q, k, v, {.mask = mask});
  EXPECT_THAT(Row(y, 2), Each(0.0f));
  for (int64_t i : {0, 1, 3, 4}) EXPECT_EQ(Row(y, i), Row(all, i)) << i;
  const std::vector<Tensor> grads = Grad({Sum(y * y)}, {q, k, v});
  for (const Tensor& grad : grads) {
    for (float value : grad.ToVector<float>()) EXPECT_TRUE(std::isfinite(value));
  }
  EXPECT_THAT(Row(grads[0], 2), Each(0.0f));
}

TEST(Attention, ARowOfMinusInfinityIsAHiddenOne) {
  const auto [q, k, v] = Draw(3);
  Tensor mask = Zeros({3, 3});
  for (int64_t j = 0; j < 3; ++j) mask.mutable_data<float>()[j] = -INFINITY;
  const Tensor y = ScaledDotProductAttention(q, k, v, {.mask = mask});
  EXPECT_THAT(Row(y, 0), Each(0.0f));
  for (const Tensor& grad : Grad({Sum(y)}, {q, k, v})) {
    for (float value : grad.ToVector<float>()) EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Attention, OfOneKeyIsItsValue) {
  const auto [q, k, v] = Draw(1);
  EXPECT_EQ(ScaledDotProductAttention(q, k, v).ToVector<float>(), v.ToVector<float>());
}

TEST(Attention, ACausalRowDoesNotDependOnLaterKeysToTheBit) {
  const auto [q, k, v] = Draw(7);
  const Tensor y = ScaledDotProductAttention(q, k, v, {.causal = true});
  const Tensor other = ScaledDotProductAttention(
      q, Concat({Slice(k, 2, 0, 4), Slice(k, 2, 4) * 3.0}, 2),
      Concat({Slice(v, 2, 0, 4), Slice(v, 2, 4) + 1.0}, 2), {.causal = true});
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(Row(other, i), Row(y, i)) << i;
  for (int64_t i = 4; i < 7; ++i) EXPECT_NE(Row(other, i), Row(y, i)) << i;
}

TEST(Attention, ACausalQueryWithACacheSeesEveryKey) {
  const auto [q, k, v] = Draw(6);
  const Tensor all = ScaledDotProductAttention(q, k, v, {.causal = true});
  const Tensor last = ScaledDotProductAttention(Slice(q, 2, 5), k, v, {.causal = true});
  const std::vector<float> expected = Row(all, 5), actual = Row(last, 0);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-6f);
}

TEST(Attention, WeightsOfTheDefinitionLieInTheSimplex) {
  const auto [q, k, v] = Draw(5, DType::kFloat64);
  Tensor weights;
  AttentionDefinition(q, k, v, {.causal = true}, &weights);
  ASSERT_EQ(weights.shape(), Shape({2, 3, 5, 5}));
  for (double sum : Sum(weights, {-1}).ToVector<double>()) EXPECT_NEAR(sum, 1, 1e-15);
  for (double weight : weights.ToVector<double>()) EXPECT_GE(weight, 0);
  EXPECT_THAT(Triu(weights, 1).ToVector<double>(), Each(0));
}

TEST(Attention, PackedIsTheSameAsApart) {
  Generator generator(2);
  const Tensor qkv = RandN({2, 5, 3 * 12}, generator);
  const auto heads = [&](int part) {
    return Transpose(Reshape(Slice(qkv, 2, part * 12, (part + 1) * 12), {2, 5, 3, 4}), 1, 2);
  };
  const Tensor apart = Reshape(
      Transpose(ScaledDotProductAttention(heads(0), heads(1), heads(2), {.causal = true}), 1, 2),
      {2, 5, 12});
  EXPECT_EQ(PackedAttention(qkv, 3, {.causal = true}).ToVector<float>(), apart.ToVector<float>());
}

}  // namespace
}  // namespace lemma
