// The life of a recorded graph: what it keeps, when it goes, and what may happen to it meanwhile.
#include <limits>
#include <thread>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/custom.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/index.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Leaf(std::initializer_list<double> values) {
  return FromValues<double>(values).SetRequiresGrad(true);
}
Tensor ScalarLeaf(double value) { return Scalar(value, DType::kFloat64).SetRequiresGrad(true); }

std::vector<double> GradOf(const Tensor& leaf) { return leaf.grad().ToVector<double>(); }

// ---- Graphs that are kept or freed ----

TEST(Graph, IsFreedByItsWalk) {
  const Tensor x = Leaf({1, 2});
  const Tensor y = Sum(x * x);
  Backward(y);
  EXPECT_EQ(ErrorOf([&] { Backward(y); }),
            "[mul] what it saved for the gradient was freed by an earlier walk over this graph; "
            "pass {.retain_graph = true} to the walk before this one");
}

TEST(Graph, IsKeptWhereAskedFor) {
  const Tensor x = Leaf({1, 2});
  const Tensor y = Sum(x * x);
  Backward(y, {.retain_graph = true});
  Backward(y);
  EXPECT_THAT(GradOf(x), ElementsAre(4, 8));
}

TEST(Graph, APartThatWasFreedIsNamedWhereARecipeNeedsIt) {
  const Tensor x = Leaf({1, 2});
  const Tensor h = Gelu(x);  // saved by its readers as a recipe
  const Tensor first = Sum(h * h), second = Sum(h * h * h);
  Backward(first);
  EXPECT_THAT(ErrorOf([&] { Backward(second); }),
              HasSubstr("[gelu] what it saved for the gradient was freed by an earlier walk"));
}

TEST(Graph, ReleaseLeavesNoBytes) {
  const Tensor x = Ones({64, 64}).SetRequiresGrad(true);
  const int64_t before = GetMemoryStats().current_bytes;
  {
    Tensor y = x;
    for (int i = 0; i < 10; ++i) y = Tanh(MatMul(y, x) * 0.01);
    const Tensor loss = Sum(y);
    EXPECT_GT(GetMemoryStats().current_bytes, before);
    Grad({loss}, {x}, {.create_graph = true});
  }
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
}

TEST(Graph, SavedTensorsGoAsTheWalkPasses) {
  const Tensor x = Ones({1000}).SetRequiresGrad(true);
  Tensor y = x;
  for (int i = 0; i < 20; ++i) y = Exp(y * 0.1);
  const Tensor loss = Sum(y);
  y = Tensor();
  const int64_t before = GetMemoryStats().current_bytes;
  Backward(loss);
  // What is left is the gradient; every saved activation is gone, though the graph is not.
  EXPECT_LE(GetMemoryStats().current_bytes, before - 19 * 4000);
}

TEST(Graph, AMillionAddsHaveGradientOne) {
  const Tensor x = ScalarLeaf(0.5);
  const Tensor one = Scalar(1, DType::kFloat64);
  const int64_t before = GetMemoryStats().current_bytes;
  {
    Tensor y = x;
    for (int i = 0; i < 1000000; ++i) y = y + one;
    EXPECT_EQ(y.Item(), 1000000.5);
    Backward(y);
  }
  EXPECT_EQ(x.grad().Item(), 1);
  // Another one is freed without a walk.
  {
    Tensor y = x;
    for (int i = 0; i < 200000; ++i) y = y * one;
  }
  EXPECT_EQ(GetMemoryStats().current_bytes,
            before + static_cast<int64_t>(x.grad().storage()->bytes()));
}

TEST(Graph, ManyInputsOfOneCallAreFine) {
  std::vector<Tensor> parts;
  for (int i = 0; i < 200; ++i) parts.push_back(Leaf({static_cast<double>(i)}));
  const CustomFunction first = {.name = "last_times_first",
                                .forward =
                                    [](ForwardContext& context, const TensorList& in) {
                                      context.SaveInput(0);
                                      context.SaveInput(static_cast<int>(in.size()) - 1);
                                      return TensorList{in[0] * in[in.size() - 1]};
                                    },
                                .vjp =
                                    [](const VjpCall& call) {
                                      TensorList grads(200);
                                      grads[0] = call.dout(0) * call.in(199);
                                      grads[199] = call.dout(0) * call.in(0);
                                      return grads;
                                    }};
  parts[0] = Leaf({5});
  Backward(Apply(first, TensorList(parts.begin(), parts.end()))[0]);
  EXPECT_THAT(GradOf(parts[0]), ElementsAre(199));
  EXPECT_THAT(GradOf(parts[199]), ElementsAre(5));
}

// ---- In-place changes ----

TEST(InPlace, ChangingASavedTensorIsAnErrorThatNamesTheOp) {
  Tensor x = Leaf({1, 2});
  const Tensor factor = FromValues<double>({3, 4});
  const Tensor y = Sum(x * factor);
  {
    NoGrad no_grad;
    Tensor same = factor;
    AddInPlace(same, factor);
  }
  EXPECT_THAT(ErrorOf([&] { Backward(y); }),
              HasSubstr("[mul] a tensor (2,) that was saved for the gradient has been changed in "
                        "place since: it was at version "));
  EXPECT_THAT(ErrorOf([&] { Backward(y); }),
              HasSubstr("change it after Backward, or save a Clone()"));
}

TEST(InPlace, ChangingASavedOutputIsAnError) {
  const Tensor x = Leaf({1, 2});
  Tensor y = Exp(x);
  {
    NoGrad no_grad;
    Fill(y, 0);
  }
  EXPECT_THAT(ErrorOf([&] { Backward(Sum(y)); }), HasSubstr("[exp] a tensor (2,) that was saved"));
}

TEST(InPlace, ChangingAViewIsChangingItsTensor) {
  const Tensor x = Leaf({1, 2});
  const Tensor factor = FromValues<double>({3, 4});
  const Tensor y = Sum(x * factor);
  Tensor first = Slice(factor, 0, 0, 1);
  Fill(first, 7);
  EXPECT_THAT(ErrorOf([&] { Backward(y); }), HasSubstr("changed in place"));
}

TEST(InPlace, WhatNobodySavedMayChange) {
  const Tensor x = Leaf({1, 2});
  Tensor y = x + 1.0;
  const Tensor z = Sum(y);
  {
    NoGrad no_grad;
    Fill(y, 0);
  }
  Backward(z);
  EXPECT_THAT(GradOf(x), ElementsAre(1, 1));
}

TEST(InPlace, AnOptimizerStepAfterBackwardIsFine) {
  Tensor x = Leaf({1, 2});
  for (int step = 0; step < 3; ++step) {
    Backward(Sum(x * x));
    NoGrad no_grad;
    AddInPlace(x, x.grad(), -0.25);
    x.SetGrad(Tensor());
  }
  EXPECT_THAT(x.ToVector<double>(), ElementsAre(0.125, 0.25));
}

// ---- Hooks ----

TEST(Hooks, SeeTheCompleteGradientOnce) {
  const Tensor x = ScalarLeaf(2);
  Tensor y = x * 3.0;
  std::vector<double> seen;
  y.RegisterHook([&seen](const Tensor& grad) {
    seen.push_back(grad.Item());
    return Tensor();
  });
  Backward(y * 2.0 + y * 5.0);
  EXPECT_THAT(seen, ElementsAre(7));
  EXPECT_EQ(x.grad().Item(), 21);
}

TEST(Hooks, MayReplaceTheGradient) {
  Tensor x = Leaf({1, 2});
  x.RegisterHook([](const Tensor& grad) { return grad * 10.0; });
  Backward(Sum(x));
  Backward(Sum(x));
  EXPECT_THAT(GradOf(x), ElementsAre(20, 20));
}

TEST(Hooks, RunInTheirOrder) {
  Tensor x = Leaf({1});
  x.RegisterHook([](const Tensor& grad) { return grad + 1.0; });
  x.RegisterHook([](const Tensor& grad) { return grad * 10.0; });
  Backward(Sum(x));
  EXPECT_THAT(GradOf(x), ElementsAre(20));
}

TEST(Hooks, MustKeepShapeAndType) {
  Tensor x = Leaf({1, 2});
  x.RegisterHook([](const Tensor&) { return Scalar(1); });
  EXPECT_EQ(ErrorOf([&] { Backward(Sum(x)); }),
            "[hook] a hook replaces a gradient by one of the same shape and dtype; it was given "
            "float64 (2,) and returned float32 ()");
}

TEST(Hooks, NeedAFunctionAndAGradient) {
  Tensor x = Leaf({1, 2}), plain = FromValues<double>({1});
  EXPECT_EQ(ErrorOf([&] { x.RegisterHook(nullptr); }),
            "[register_hook] the hook is empty; pass a function");
  EXPECT_EQ(ErrorOf([&] { plain.RegisterHook([](const Tensor& grad) { return grad; }); }),
            "[register_hook] no gradient flows to this tensor; call SetRequiresGrad(true) on a "
            "leaf before it is used");
}

// ---- Anomalies ----

TEST(AnomalyDetection, NamesTheOpAndTheIndexOfAForward) {
  const Tensor x = FromValues<double>({1, 0, -1});
  EXPECT_EQ(ErrorOf([&] {
              AnomalyDetection anomaly_detection;
              Log(x);
            }),
            "[log] anomaly: the output is -inf at (1,), the first value that is not finite");
  EXPECT_FALSE(AnomalyDetection::IsOn());
  Log(x);
}

TEST(AnomalyDetection, NamesTheOpAndTheInputOfABackward) {
  const Tensor x = Leaf({4, 0});
  AnomalyDetection anomaly_detection;
  const Tensor y = Sum(Sqrt(x));
  EXPECT_EQ(ErrorOf([&] { Backward(y); }),
            "[sqrt] anomaly: the gradient of input 0 is inf at (1,), the first value that is not "
            "finite");
}

TEST(AnomalyDetection, SeesProductsAndRows) {
  const Tensor a = Ones({2, 2}, DType::kFloat64).SetRequiresGrad(true);
  const Tensor b = Full({2, 2}, std::numeric_limits<double>::infinity(), DType::kFloat64);
  const Tensor product = MatMul(a, b);
  AnomalyDetection anomaly_detection;
  EXPECT_THAT(ErrorOf([&] {
                Backward(product, {.grad_outputs = {Ones({2, 2}, DType::kFloat64)}});
              }),
              HasSubstr("[matmul] anomaly: the gradient of input 0 is inf at (0, 0)"));
}

// ---- Threads ----

TEST(Threads, GradRunsOnManyOverSharedParameters) {
  const Tensor w = Full({32, 32}, 0.01, DType::kFloat64).SetRequiresGrad(true);
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&w, &sums, t] {
      for (int step = 0; step < 20; ++step) {
        const Tensor x = Full({8, 32}, t + 1, DType::kFloat64);
        const Tensor loss = Sum(Tanh(MatMul(x, w)));
        sums[t] = Sum(Grad({loss}, {w})[0]).Item();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 4; ++t) {
    const Tensor x = Full({8, 32}, t + 1, DType::kFloat64);
    EXPECT_EQ(sums[t], Sum(Grad({Sum(Tanh(MatMul(x, w)))}, {w})[0]).Item());
  }
  EXPECT_FALSE(w.grad().defined());
}

// A graph in a variable that outlives main's other variables.
Tensor& KeptUntilTheEnd() {
  static Tensor kept;
  return kept;
}

TEST(Graph, MayBeFreedWhenTheProgramEnds) {
  Tensor y = Leaf({1});
  for (int i = 0; i < 1000; ++i) y = y * y;
  KeptUntilTheEnd() = y;
  EXPECT_TRUE(KeptUntilTheEnd().requires_grad());
}

}  // namespace
}  // namespace lemma
