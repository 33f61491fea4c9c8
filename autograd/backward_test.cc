#include "autograd/backward.h"

#include <cmath>
#include <vector>

#include "autograd/create.h"
#include "autograd/custom.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/pow.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Leaf(std::initializer_list<double> values) {
  return FromValues<double>(values).SetRequiresGrad(true);
}
Tensor ScalarLeaf(double value) { return Scalar(value, DType::kFloat64).SetRequiresGrad(true); }

std::vector<double> GradOf(const Tensor& leaf) { return leaf.grad().ToVector<double>(); }

TEST(Backward, PutsTheGradientIntoTheLeaves) {
  const Tensor x = Leaf({1, 2, 3});
  Backward(Sum(x * x));
  EXPECT_THAT(GradOf(x), ElementsAre(2, 4, 6));
}

TEST(Backward, AddsToWhatIsThere) {
  const Tensor x = Leaf({1, 2});
  Backward(Sum(x * 3.0));
  const Tensor first = x.grad();
  Backward(Sum(x * 4.0));
  EXPECT_THAT(GradOf(x), ElementsAre(7, 7));
  EXPECT_THAT(first.ToVector<double>(), ElementsAre(3, 3));  // a handle that the user holds
}

TEST(Backward, KeepsOneStorageForAGradientThatNobodyElseHolds) {
  const Tensor x = Leaf({1, 2});
  Backward(Sum(x * x));
  const void* memory = x.grad().raw_data();
  Backward(Sum(x * x));
  EXPECT_EQ(x.grad().raw_data(), memory);
  EXPECT_THAT(GradOf(x), ElementsAre(4, 8));
}

TEST(Backward, LeavesNeverShareAGradient) {
  const Tensor a = Leaf({1, 2}), b = Leaf({3, 4});
  for (const bool create_graph : {false, true}) {
    Tensor seed = FromValues<double>({1, 1});
    Tensor leaf = a;
    leaf.SetGrad(Tensor());
    leaf = b;
    leaf.SetGrad(Tensor());
    Backward(a + b, {.grad_outputs = {seed}, .create_graph = create_graph});
    EXPECT_NE(a.grad().storage().get(), b.grad().storage().get());
    EXPECT_NE(a.grad().storage().get(), seed.storage().get());
    Backward(a + b, {.grad_outputs = {seed}});
    EXPECT_THAT(GradOf(a), ElementsAre(2, 2));
    EXPECT_THAT(GradOf(b), ElementsAre(2, 2));
    EXPECT_THAT(seed.ToVector<double>(), ElementsAre(1, 1));
  }
}

TEST(Backward, OfALeafCopiesTheSeed) {
  const Tensor a = Leaf({1, 2}), b = Leaf({3, 4});
  const Tensor seed = FromValues<double>({5, 6});
  Backward({a, b}, {.grad_outputs = {seed, seed}});
  Backward({a}, {.grad_outputs = {seed}});
  EXPECT_THAT(GradOf(a), ElementsAre(10, 12));
  EXPECT_THAT(GradOf(b), ElementsAre(5, 6));
  EXPECT_THAT(seed.ToVector<double>(), ElementsAre(5, 6));
}

// ---- What users of such systems reported ----

TEST(Reported, ANodeThatTwoOthersReadPassesOnTheSumOnce) {
  const Tensor x = ScalarLeaf(2);
  const Tensor y = x * 3.0, a = y * 2.0, b = y * 5.0;
  Backward(a + b);
  EXPECT_EQ(x.grad().Item(), 21);
}

TEST(Reported, LeavesOfEqualValueAreTwoLeaves) {
  const Tensor w1 = ScalarLeaf(3), w2 = ScalarLeaf(3);
  Backward(w1 + w2);
  EXPECT_EQ(w1.grad().Item(), 1);
  EXPECT_EQ(w2.grad().Item(), 1);
}

TEST(Reported, CenteringHasNoGradientForAConstant) {
  const Tensor x = Leaf({1, 2, 4});
  Backward(Sum(x - Mean(x)));
  for (double dx : GradOf(x)) EXPECT_NEAR(dx, 0, 1e-15);
}

TEST(Reported, MaxPlusXAddsBothGradients) {
  const Tensor x = Leaf({2, 3});
  Backward(Max(x) + Sum(x));
  EXPECT_THAT(GradOf(x), ElementsAre(1, 2));
}

TEST(Reported, BroadcastingIsUndone) {
  const std::pair<Shape, Shape> shapes[] = {
      {{1}, {5, 4}}, {{4, 1}, {1, 4}}, {{2, 1, 3, 5}, {2, 1, 3, 1}}, {{}, {3}}, {{0, 3}, {1, 3}}};
  for (const auto& [a_shape, b_shape] : shapes) {
    const Tensor a = Ones(a_shape, DType::kFloat64).SetRequiresGrad(true);
    const Tensor b = Full(b_shape, 2, DType::kFloat64).SetRequiresGrad(true);
    const Tensor product = a * b;
    Backward(Sum(product));
    EXPECT_EQ(a.grad().shape(), a_shape);
    EXPECT_EQ(b.grad().shape(), b_shape);
    const double copies = static_cast<double>(product.numel()) / static_cast<double>(a.numel());
    if (a.numel() == 0) continue;
    EXPECT_THAT(GradOf(a), Each(2 * copies));
  }
}

TEST(Reported, TheNormOfAZeroVectorHasGradientZero) {
  const Tensor x = Leaf({0, 0});
  Backward(Norm(x));
  EXPECT_THAT(GradOf(x), ElementsAre(0, 0));
}

// The header of Where says so, and what to write instead.
TEST(Reported, WhereAfterASqrtOfZeroGivesNanAndWhereBeforeItDoesNot) {
  const Tensor x = Leaf({4, 0});
  const Tensor positive = Greater(x, 0);
  const Tensor late = Where(positive, Sqrt(x), 0.0);
  EXPECT_TRUE(std::isnan(Grad({Sum(late)}, {x})[0].ToVector<double>()[1]));
  const Tensor early = Where(positive, Sqrt(Where(positive, x, 1.0)), 0.0);
  EXPECT_THAT(early.ToVector<double>(), ElementsAre(2, 0));
  EXPECT_THAT(Grad({Sum(early)}, {x})[0].ToVector<double>(), ElementsAre(0.25, 0));
}

// ---- Grad ----

TEST(Grad, LeavesTheLeavesAlone) {
  const Tensor x = Leaf({1, 2});
  const Tensor dx = Grad({Sum(x * x)}, {x})[0];
  EXPECT_THAT(dx.ToVector<double>(), ElementsAre(2, 4));
  EXPECT_FALSE(x.grad().defined());
}

TEST(Grad, ReachesResultsInBetween) {
  const Tensor x = Leaf({1, 2});
  const Tensor y = x * 3.0, z = Sum(y * y);
  const std::vector<Tensor> grads = Grad({z}, {y, x, z});
  EXPECT_THAT(grads[0].ToVector<double>(), ElementsAre(6, 12));
  EXPECT_THAT(grads[1].ToVector<double>(), ElementsAre(18, 36));
  EXPECT_EQ(grads[2].Item(), 1);
}

TEST(Grad, SumsOverOutputs) {
  const Tensor x = Leaf({1, 2});
  const std::vector<Tensor> dx =
      Grad({x * 2.0, Sum(x)}, {x}, {.grad_outputs = {FromValues<double>({1, 10}), Tensor()}});
  EXPECT_THAT(dx[0].ToVector<double>(), ElementsAre(3, 21));
}

TEST(Grad, OfAnInputThatIsNotUsed) {
  const Tensor x = Leaf({1}), unused = Leaf({1});
  EXPECT_EQ(ErrorOf([&] {
              Grad({Sum(x)}, {x, unused});
            }),
            "[grad] inputs[1]: the outputs do not depend on it; pass {.allow_unused = true} to get "
            "an undefined tensor instead");
  const std::vector<Tensor> grads = Grad({Sum(x)}, {x, unused}, {.allow_unused = true});
  EXPECT_TRUE(grads[0].defined());
  EXPECT_FALSE(grads[1].defined());
}

TEST(Grad, WrongCallsSayWhatIsMissing) {
  const Tensor x = Leaf({1, 2}), plain = FromValues<double>({1, 2});
  EXPECT_EQ(ErrorOf([&] { Grad({Sum(plain)}, {x}); }),
            "[grad] output 0 has no history: none of the tensors that it was computed from "
            "requires a gradient, or it was computed under NoGrad, or by a walk without "
            "create_graph");
  EXPECT_EQ(ErrorOf([] { Backward(Tensor()); }),
            "[backward] output 0: the tensor is undefined; give it a value first");
  EXPECT_EQ(ErrorOf([&] { Grad({Sum(x)}, {plain}); }),
            "[grad] inputs[0]: it does not require a gradient; call SetRequiresGrad(true) before "
            "it is used");
  EXPECT_EQ(ErrorOf([&] { Backward(x * x); }),
            "[backward] output 0: without a gradient of its own an output must be a scalar; its "
            "shape is (2,); pass grad_outputs, or Sum it");
  EXPECT_EQ(ErrorOf([&] { Backward(x * x, {.grad_outputs = {Scalar(1)}}); }),
            "[backward] grad_outputs[0]: it must be float64 (2,) as the output; it is float32 ()");
  EXPECT_EQ(ErrorOf([&] {
              Backward(Sum(x), {.grad_outputs = {Tensor(), Tensor()}});
            }),
            "[backward] grad_outputs: there are 2 for 1 outputs");
}

TEST(Grad, DoesNotRunWhatLeadsNowhere) {
  const Tensor x = Leaf({1}), y = Leaf({2});
  int calls = 0;
  const CustomFunction counted = {
      .name = "counted",
      .forward = [](ForwardContext&, const TensorList& in) { return TensorList{in[0] * 2.0}; },
      .vjp =
          [&calls](const VjpCall& call) {
            ++calls;
            return TensorList{call.dout(0) * 2.0};
          }};
  const Tensor z = Sum(Apply(counted, {x})[0] + y);
  Grad({z}, {y}, {.retain_graph = true});
  EXPECT_EQ(calls, 0);
  Grad({z}, {x});
  EXPECT_EQ(calls, 1);
}

// ---- Gradients of gradients ----

TEST(CreateGraph, GivesDerivativesOfAnyOrder) {
  const Tensor x = ScalarLeaf(2);
  Tensor derivative = Pow(x, 5);
  for (double expected : {5 * 16., 20 * 8., 60 * 4., 120 * 2., 120.}) {
    derivative = Grad({derivative}, {x}, {.create_graph = true})[0];
    EXPECT_DOUBLE_EQ(derivative.Item(), expected);
  }
}

TEST(CreateGraph, GoesThroughAFusedOp) {
  const Tensor x = Leaf({0.3, -0.7});
  const Tensor y = Gelu(x);
  const Tensor recorded = Grad({Sum(y)}, {x}, {.create_graph = true})[0];
  const Tensor plain = Grad({Sum(y)}, {x})[0];
  EXPECT_TRUE(recorded.requires_grad());
  EXPECT_FALSE(plain.requires_grad());
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(recorded.ToVector<double>()[i], plain.ToVector<double>()[i], 1e-15);
    // gelu'' = phi(x) (2 - x^2)
    const double v = x.ToVector<double>()[i];
    const double second = std::exp(-v * v / 2) / std::sqrt(2 * M_PI) * (2 - v * v);
    EXPECT_NEAR(Grad({Sum(recorded)}, {x}, {.retain_graph = true})[0].ToVector<double>()[i], second,
                1e-14);
  }
}

TEST(CreateGraph, BackwardRecordsTheGradientsOfLeaves) {
  Tensor x = Leaf({2});
  Backward(Sum(Pow(x, 3)), {.create_graph = true});
  EXPECT_TRUE(x.grad().requires_grad());
  EXPECT_THAT(Grad({Sum(x.grad())}, {x})[0].ToVector<double>(), ElementsAre(12));
  // The gradient's graph ends in x, which holds the gradient: dropping it breaks the cycle.
  x.SetGrad(Tensor());
}

TEST(CreateGraph, RecordsUnderNoGradToo) {
  const Tensor x = Leaf({2});
  const Tensor y = Sum(Pow(x, 3));
  NoGrad no_grad;
  const Tensor dx = Grad({y}, {x}, {.create_graph = true})[0];
  EXPECT_TRUE(dx.requires_grad());
}

TEST(CreateGraph, ReadingRawDataInARecordedVjpIsAnError) {
  const CustomFunction careless = {
      .name = "careless",
      .forward =
          [](ForwardContext& context, const TensorList& in) {
            context.SaveInput(0);
            return TensorList{in[0] * in[0]};
          },
      .vjp =
          [](const VjpCall& call) {
            return TensorList{call.dout(0) * (2 * call.in(0).data<double>()[0])};
          }};
  const Tensor x = Leaf({3});
  EXPECT_THAT(Grad({Sum(Apply(careless, {x})[0])}, {x})[0].ToVector<double>(), ElementsAre(6));
  EXPECT_THAT(ErrorOf([&] { Grad({Sum(Apply(careless, {x})[0])}, {x}, {.create_graph = true}); }),
              HasSubstr("[data] a vjp that is being recorded reads the raw values of a tensor with "
                        "history"));
}

}  // namespace
}  // namespace lemma
