#include "autograd/custom.h"

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
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

// What an Apply and the walk over its result throw.
std::string ErrorOfCall(const CustomFunction& f) {
  return ErrorOf([&] { Backward(Sum(Apply(f, {Leaf({1, 2}), FromValues<double>({3, 4})})[0])); });
}

TEST(CustomFunction, AVjpThatAsksForWhatIsNotThereIsAnError) {
  CustomFunction f = Cube();
  const auto with_vjp = [&](std::function<Tensor(const VjpCall&)> vjp) {
    f.vjp = [vjp](const VjpCall& call) { return TensorList{vjp(call), Tensor()}; };
    return ErrorOfCall(f);
  };
  const auto with_shape = [](int i) {
    return [i](const VjpCall& call) { return Zeros(call.in_spec(i).shape, DType::kFloat64); };
  };
  EXPECT_EQ(with_vjp(with_shape(0)), "no error");
  for (const int i : {1, 2, -1}) {
    EXPECT_EQ(with_vjp(with_shape(i)),
              absl::StrCat("[cube] its vjp asks for the shape of input ", i,
                           " of 2, counted from 0; it is kept only of an input that needs a "
                           "gradient: save the input"));
  }
  for (const int i : {1, -1}) {
    const std::string expected =
        absl::StrCat("[cube] its vjp asks for output ", i, "; there are 1, counted from 0");
    EXPECT_EQ(with_vjp([i](const VjpCall& call) { return call.dout(i); }), expected);
    EXPECT_EQ(with_vjp([i](const VjpCall& call) { return Zeros(call.out_spec(i).shape); }),
              expected);
  }
  EXPECT_EQ(with_vjp([](const VjpCall& call) { return call.in(2); }),
            "[cube] its vjp reads input 2, which its forward did not save; save it there");
  EXPECT_EQ(with_vjp([](const VjpCall& call) { return call.out(0); }),
            "[cube] its vjp reads output 0, which its forward did not save; save it there");
  EXPECT_EQ(with_vjp([](const VjpCall& call) { return call.extra(0); }),
            "[cube] its vjp reads extra tensor 0, which its forward did not save; save it there");
}

TEST(CustomFunction, AForwardThatSavesOrReturnsWhatIsNotThereIsAnError) {
  CustomFunction f = Cube();
  const auto with_forward = [&](std::function<void(ForwardContext&)> save, TensorList outputs) {
    f.forward = [save, outputs](ForwardContext& context, const TensorList&) {
      save(context);
      return outputs;
    };
    return ErrorOfCall(f);
  };
  const TensorList one = {FromValues<double>({1, 2})};
  const auto nothing = [](ForwardContext&) {};
  EXPECT_EQ(with_forward([](ForwardContext& context) { context.SaveInput(2); }, one),
            "[cube] SaveInput: there is no input 2; there are 2, counted from 0");
  EXPECT_EQ(with_forward([](ForwardContext& context) { context.SaveOutput(1); }, one),
            "[cube] SaveOutput: there is no output 1; there are 1, counted from 0");
  EXPECT_EQ(with_forward([](ForwardContext& context) { context.Save(Tensor()); }, one),
            "[cube] Save: the tensor is undefined");
  EXPECT_EQ(with_forward(nothing, {}),
            "[cube] its forward returned no output; return at least one");
  EXPECT_EQ(with_forward(nothing, {Tensor()}),
            "[cube] its forward returned an undefined tensor as output 0");
  f = Cube();
  f.name = "";
  EXPECT_EQ(ErrorOfCall(f), "[custom] a custom function needs a name, for errors");
  f = Cube();
  f.vjp = nullptr;
  EXPECT_EQ(ErrorOfCall(f),
            "[cube] a custom function needs both a forward and a vjp; it has no vjp");
  f.forward = nullptr;
  EXPECT_EQ(ErrorOfCall(f),
            "[cube] a custom function needs both a forward and a vjp; it has no forward");
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
