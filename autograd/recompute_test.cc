#include "autograd/recompute.h"

#include <cmath>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/gradcheck_matchers.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two layers with a dropout between them; parameters are captured, not inputs.
struct Block {
  Tensor w1, w2, scale;
  Generator* generator = nullptr;

  Tensor operator()(const Tensor& x) const {
    Tensor h = Gelu(Linear(LayerNorm(x, {x.size(-1)}, scale), w1));
    if (generator != nullptr) h = Dropout(h, 0.3, *generator);
    return x + Linear(h, w2);
  }
};

Block MakeBlock(int64_t width, DType dtype, Generator& generator) {
  return {RandN({4 * width, width}, generator, dtype).SetRequiresGrad(true),
          RandN({width, 4 * width}, generator, dtype).SetRequiresGrad(true),
          RandN({width}, generator, dtype).SetRequiresGrad(true)};
}

Tensor Recomputed(const Block& block, const Tensor& x) {
  return Recompute([block](const TensorList& in) { return TensorList{block(in[0])}; }, {x})[0];
}

TEST(Recompute, GivesTheSameBits) {
  Generator generator(1);
  const Block block = MakeBlock(16, DType::kFloat32, generator);
  const Tensor x = RandN({5, 16}, generator).SetRequiresGrad(true);
  const std::vector<Tensor> wanted = {x, block.w1, block.w2, block.scale};
  const Tensor y = block(block(x)), z = Recomputed(block, Recomputed(block, x));
  EXPECT_EQ(y.ToVector<float>(), z.ToVector<float>());
  const std::vector<Tensor> plain = Grad({Sum(y * y)}, wanted);
  const std::vector<Tensor> again = Grad({Sum(z * z)}, wanted);
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(plain[i].ToVector<float>(), again[i].ToVector<float>()) << i;
  }
}

TEST(Recompute, RunsTheFunctionAgainOnlyForAWalk) {
  const Tensor x = Scalar(2, DType::kFloat64).SetRequiresGrad(true);
  int runs = 0, replays = 0;
  const auto f = [&](const TensorList& in) {
    ++runs;
    replays += IsReplaying();
    return TensorList{Exp(in[0]) * in[0]};
  };
  const Tensor y = Recompute(f, {x})[0];
  EXPECT_EQ(runs, 1);
  Backward(y);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(replays, 1);
  EXPECT_FALSE(IsReplaying());
  NoGrad no_grad;
  Recompute(f, {x});
  EXPECT_EQ(runs, 3);
}

TEST(Recompute, DrawsTheSameDropoutAndLeavesTheGeneratorWhereItWas) {
  Generator plain_draws(7), draws(7), init(1);
  Block block = MakeBlock(8, DType::kFloat32, init);
  const Tensor x = RandN({4, 8}, init).SetRequiresGrad(true);
  block.generator = &plain_draws;
  const Tensor y = block(x);
  block.generator = &draws;
  const Tensor z = Recomputed(block, x);
  EXPECT_EQ(draws.State(), plain_draws.State());
  draws.Random();  // others draw in between
  const std::string before = draws.State();
  const Tensor dx = Grad({Sum(z)}, {x})[0];
  EXPECT_EQ(draws.State(), before);
  EXPECT_EQ(dx.ToVector<float>(), Grad({Sum(y)}, {x})[0].ToVector<float>());
}

TEST(Recompute, Nests) {
  Generator plain_draws(7), draws(7), init(1);
  Block plain = MakeBlock(8, DType::kFloat64, init), again = plain;
  plain.generator = &plain_draws;
  again.generator = &draws;
  const Tensor x = RandN({4, 8}, init, DType::kFloat64).SetRequiresGrad(true);
  const Tensor y = plain(Tanh(plain(x)));
  const Tensor z = Recompute(
      [again](const TensorList& in) {
        return TensorList{Recomputed(again, Tanh(Recomputed(again, in[0])))};
      },
      {x})[0];
  EXPECT_EQ(y.ToVector<double>(), z.ToVector<double>());
  const std::string before = draws.State();
  const std::vector<Tensor> expected = Grad({Sum(y)}, {x, plain.w1});
  const std::vector<Tensor> actual = Grad({Sum(z)}, {x, plain.w1});
  EXPECT_EQ(draws.State(), before);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(expected[i].ToVector<double>(), actual[i].ToVector<double>()) << i;
  }
}

TEST(Recompute, MayConvertItsInput) {
  const Tensor x = FromValues<float>({1, 2}).SetRequiresGrad(true);
  const Tensor y = Recompute(
      [](const TensorList& in) { return TensorList{Square(Cast(in[0], DType::kFloat64))}; },
      {x * 3})[0];
  EXPECT_THAT(Grad({Sum(y)}, {x})[0].ToVector<float>(), ElementsAre(18, 36));
}

TEST(Recompute, CanBeDifferentiatedTwice) {
  Generator generator(1);
  const Block block = MakeBlock(3, DType::kFloat64, generator);
  const auto f = [&](const Tensor& x) { return Recomputed(block, x); };
  const Tensor x = RandN({2, 3}, generator, DType::kFloat64);
  EXPECT_THAT(f, PassesGradCheck({x}));
  EXPECT_THAT(f, PassesGradGradCheck({x}));
  // Also with respect to what the function captures.
  const auto g = [](const Tensor& a, const Tensor& b) {
    return Recompute([b](const TensorList& in) { return TensorList{Tanh(in[0] * b) * in[0]}; },
                     {a})[0];
  };
  const std::vector<Tensor> inputs = {FromValues<double>({0.3, 0.4}), FromValues<double>({1, 2})};
  EXPECT_THAT(g, PassesGradCheck(inputs));
  EXPECT_THAT(g, PassesGradGradCheck(inputs));
}

TEST(Recompute, AKeptGraphCanBeWalkedAgain) {
  Generator generator(1);
  const Block block = MakeBlock(4, DType::kFloat64, generator);
  const Tensor x = RandN({2, 4}, generator, DType::kFloat64).SetRequiresGrad(true);
  const Tensor y = Sum(Recomputed(block, x));
  const Tensor first = Grad({y}, {x}, {.retain_graph = true})[0];
  const Tensor second = Grad({y}, {x})[0];
  EXPECT_EQ(first.ToVector<double>(), second.ToVector<double>());
  EXPECT_THAT(ErrorOf([&] { Grad({y}, {x}); }), HasSubstr("was freed by an earlier walk"));
}

TEST(Recompute, TakesLessMemory) {
  Generator generator(1);
  const Block block = MakeBlock(32, DType::kFloat32, generator);
  const Tensor x = RandN({256, 32}, generator).SetRequiresGrad(true);
  const auto held = [&](bool recompute) {
    const int64_t before = GetMemoryStats().current_bytes;
    Tensor y = x;
    for (int i = 0; i < 8; ++i) y = recompute ? Recomputed(block, y) : block(y);
    const int64_t bytes = GetMemoryStats().current_bytes - before;
    ResetPeakMemory();
    Backward(Sum(y));
    return std::pair(bytes, GetMemoryStats().peak_bytes - before);
  };
  const auto [plain_held, plain_peak] = held(false);
  const auto [held_bytes, peak] = held(true);
  // Only what is between the blocks is kept: (256, 32) floats each.
  EXPECT_LE(held_bytes, 9 * 256 * 32 * 4);
  EXPECT_LT(held_bytes * 3, plain_held);
  EXPECT_LT(peak * 2, plain_peak);
}

TEST(Recompute, LeavesNoMemoryBehind) {
  Generator generator(1);
  const Block block = MakeBlock(8, DType::kFloat32, generator);
  const Tensor x = RandN({4, 8}, generator).SetRequiresGrad(true);
  const int64_t before = GetMemoryStats().current_bytes;
  { Recomputed(block, x); }
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
  { Grad({Sum(Recomputed(block, Recomputed(block, x)))}, {x}); }
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
}

TEST(Recompute, SeesThatAnInputHasChanged) {
  const Tensor x = FromValues<double>({1, 2}).SetRequiresGrad(true);
  Tensor factor = FromValues<double>({3, 4});
  const Tensor y = Sum(Recompute(
      [](const TensorList& in) { return TensorList{Exp(in[0] * in[1])}; }, {x, factor})[0]);
  Fill(factor, 0);
  EXPECT_THAT(ErrorOf([&] { Backward(y); }),
              HasSubstr("[recompute] a tensor (2,) that was saved for the gradient has been "
                        "changed in place since"));
}

TEST(Recompute, RefusesAFunctionThatChangesItsMind) {
  const Tensor x = FromValues<double>({1, 2}).SetRequiresGrad(true);
  int runs = 0;
  const Tensor y = Sum(Recompute(
      [&](const TensorList& in) {
        Tensor z = Exp(in[0]);
        if (++runs > 1) z = Exp(z);
        return TensorList{z};
      },
      {x})[0]);
  EXPECT_EQ(ErrorOf([&] { Backward(y); }),
            "[recompute] the function saved 1 tensors at first and 2 when it ran again; it must "
            "compute the same each time");
}

TEST(Recompute, TakesInputsThatNeedNoGradient) {
  const Tensor w = FromValues<double>({3}).SetRequiresGrad(true);
  const Tensor x = FromValues<double>({2});
  const Tensor y =
      Sum(Recompute([&](const TensorList& in) { return TensorList{Exp(in[0] * w)}; }, {x})[0]);
  Backward(y);
  EXPECT_DOUBLE_EQ(w.grad().Item(), 2 * std::exp(6.0));
  EXPECT_FALSE(x.requires_grad());
}

TEST(Recompute, NeedsAFunction) {
  EXPECT_EQ(ErrorOf([] { Recompute(nullptr, {Scalar(1)}); }),
            "[recompute] fn: the function is empty; pass one");
}

}  // namespace
}  // namespace lemma
