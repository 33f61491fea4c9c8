#include "autograd/custom.h"

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/gradcheck_matchers.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/recompute.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = x^3
CustomFunction Cube() {
  return {.name = "cube",
          .forward =
              [](ForwardContext& context, const TensorList& in) {
                context.SaveInput(0);
                return TensorList{in[0] * in[0] * in[0]};
              },
          .vjp =
              [](const VjpCall& call) {
                const Tensor x = call.in(0);
                return TensorList{3.0 * x * x * call.dout(0)};
              }};
}

Tensor Leaf(std::initializer_list<double> values) {
  return FromValues<double>(values).SetRequiresGrad(true);
}

TEST(CustomFunction, HasItsOwnGradientOfAnyOrder) {
  const auto cube = [](const Tensor& x) { return Apply(Cube(), {x})[0]; };
  const Tensor x = FromValues<double>({0.5, -2});
  EXPECT_THAT(cube(x).ToVector<double>(), ElementsAre(0.125, -8));
  EXPECT_THAT(cube, PassesGradCheck({x}));
  EXPECT_THAT(cube, PassesGradGradCheck({x}));
}

TEST(CustomFunction, NothingOfItsForwardIsRecorded) {
  const CustomFunction f = {
      .name = "f",
      .forward =
          [](ForwardContext&, const TensorList& in) {
            EXPECT_FALSE(IsGradEnabled());
            EXPECT_FALSE((in[0] * 2.0).requires_grad());
            return TensorList{in[0] * 2.0};
          },
      .vjp = [](const VjpCall& call) { return TensorList{call.dout(0) * 100.0}; }};
  const Tensor x = Leaf({1});
  Backward(Sum(Apply(f, {x})[0]));
  EXPECT_THAT(x.grad().ToVector<double>(), ElementsAre(100));
}

TEST(CustomFunction, SavesOutputsAndTensorsOfItsOwn) {
  // y = exp(x), dx = dy y; the saved 2 is only a factor
  const CustomFunction f = {.name = "f",
                            .forward =
                                [](ForwardContext& context, const TensorList& in) {
                                  context.SaveOutput(0);
                                  context.Save(Scalar(2, DType::kFloat64));
                                  return TensorList{Exp(in[0]) * 2.0};
                                },
                            .vjp =
                                [](const VjpCall& call) {
                                  EXPECT_EQ(call.extra(0).Item(), 2);
                                  return TensorList{call.dout(0) * call.out(0)};
                                }};
  const auto fn = [&](const Tensor& x) { return Apply(f, {x})[0]; };
  EXPECT_THAT(fn, PassesGradCheck({FromValues<double>({0.1, 0.2})}));
  EXPECT_THAT(fn, PassesGradGradCheck({FromValues<double>({0.1, 0.2})}));
}

TEST(CustomFunction, MayHaveSeveralOutputsAndInputs) {
  // (a, b) -> (a b, a + b)
  const CustomFunction f = {.name = "f",
                            .forward =
                                [](ForwardContext& context, const TensorList& in) {
                                  context.SaveInput(0);
                                  context.SaveInput(1);
                                  return TensorList{in[0] * in[1], in[0] + in[1]};
                                },
                            .vjp =
                                [](const VjpCall& call) {
                                  TensorList grads(2);
                                  for (int i = 0; i < 2; ++i) {
                                    if (call.dout(0).defined())
                                      grads[i] = call.dout(0) * call.in(1 - i);
                                    if (call.dout(1).defined()) {
                                      grads[i] = grads[i].defined() ? grads[i] + call.dout(1)
                                                                    : call.dout(1);
                                    }
                                  }
                                  return grads;
                                }};
  const auto fn = [&](const std::vector<Tensor>& in) {
    const TensorList out = Apply(f, {in[0], in[1]});
    return std::vector<Tensor>{out[0], out[1]};
  };
  const std::vector<Tensor> inputs = {FromValues<double>({1, 2}), FromValues<double>({3, 4})};
  EXPECT_THAT(fn, PassesGradCheck(inputs));
  EXPECT_THAT(fn, PassesGradGradCheck(inputs));
  const Tensor a = Leaf({1, 2}), b = Leaf({3, 4});
  Backward(Sum(Apply(f, {a, b})[1]));  // the other output has no gradient
  EXPECT_THAT(a.grad().ToVector<double>(), ElementsAre(1, 1));
}

TEST(CustomFunction, MayReturnAnInput) {
  const CustomFunction f = {
      .name = "f",
      .forward = [](ForwardContext&, const TensorList& in) { return TensorList{in[0]}; },
      .vjp = [](const VjpCall& call) { return TensorList{-call.dout(0)}; }};
  const Tensor x = Leaf({1});
  const Tensor y = Apply(f, {x})[0];
  EXPECT_TRUE(x.is_leaf());
  Backward(Sum(y));
  EXPECT_THAT(x.grad().ToVector<double>(), ElementsAre(-1));
}

TEST(CustomFunction, AnUndefinedGradientIsZero) {
  const CustomFunction f = {
      .name = "f",
      .forward = [](ForwardContext&, const TensorList& in) { return TensorList{in[0] + in[1]}; },
      .vjp =
          [](const VjpCall& call) {
            return TensorList{call.dout(0), Tensor()};
          }};
  const Tensor a = Leaf({1}), b = Leaf({2});
  Backward(Sum(Apply(f, {a, b})[0]));
  EXPECT_THAT(a.grad().ToVector<double>(), ElementsAre(1));
  EXPECT_FALSE(b.grad().defined());
}

TEST(CustomFunction, ErrorsNameTheFunction) {
  CustomFunction f = Cube();
  const Tensor x = Leaf({1, 2});
  f.vjp = [](const VjpCall&) { return TensorList{}; };
  EXPECT_EQ(ErrorOf([&] { Backward(Sum(Apply(f, {x})[0])); }),
            "[cube] its vjp returned 0 gradients for 1 inputs; an input without one gets an "
            "undefined tensor");
  f.vjp = [](const VjpCall& call) { return TensorList{Sum(call.dout(0))}; };
  EXPECT_EQ(ErrorOf([&] { Backward(Sum(Apply(f, {x})[0])); }),
            "[cube] its vjp gives input 0 a gradient of shape (); the input is (2,)");
  Tensor factor = FromValues<double>({1, 2});
  const Tensor y = Sum(Apply(Cube(), {factor * x})[0]);
  Backward(y);
  EXPECT_THAT(ErrorOf([&] { Backward(y); }), HasSubstr("[cube] what it saved for the gradient"));
}

TEST(CustomFunction, ChangesInPlaceAreSeen) {
  Tensor x = Leaf({1, 2});
  const Tensor y = Sum(Apply(Cube(), {x})[0]);
  {
    NoGrad no_grad;
    Fill(x, 5);
  }
  EXPECT_THAT(ErrorOf([&] { Backward(y); }), HasSubstr("[cube] a tensor (2,) that was saved"));
}

TEST(CustomFunction, WorksInsideRecompute) {
  const Tensor x = Leaf({2});
  const auto block = [](const TensorList& in) {
    return TensorList{Apply(Cube(), {Apply(Cube(), {in[0]})[0]})[0]};
  };
  const Tensor y = Sum(Recompute(block, {x})[0]);
  EXPECT_THAT(Grad({y}, {x})[0].ToVector<double>(), ElementsAre(9 * 256));
}

}  // namespace
}  // namespace lemma
