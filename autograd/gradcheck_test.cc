#include "autograd/gradcheck.h"

#include <vector>

#include "autograd/create.h"
#include "autograd/custom.h"
#include "autograd/gradcheck_matchers.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/index.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/pow.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// x^2, whose gradient is off by `error` at its last element and otherwise right.
Tensor Wrong(const Tensor& x, double error, bool only_second_order = false) {
  const CustomFunction f = {.name = "wrong",
                            .forward =
                                [](ForwardContext& context, const TensorList& in) {
                                  context.SaveInput(0);
                                  return TensorList{in[0] * in[0]};
                                },
                            .vjp =
                                [=](const VjpCall& call) {
                                  const Tensor x = call.in(0);
                                  Tensor off = Zeros(x.shape(), x.dtype());
                                  off.mutable_data<double>()[x.numel() - 1] = error;
                                  const Tensor factor = only_second_order ? x.Detach() : x;
                                  return TensorList{call.dout(0) * (factor * 2.0 + off)};
                                }};
  return Apply(f, {x})[0];
}

TEST(GradCheck, PassesRightGradients) {
  const Tensor a = FromValues<double>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor b = FromValues<double>({-1, 0.5, 2, 1, 0, 3}, {3, 2});
  const auto f = [](const Tensor& x, const Tensor& y) { return Tanh(MatMul(x, y)); };
  EXPECT_THAT(f, PassesGradCheck({a, b}));
  EXPECT_THAT(f, PassesGradGradCheck({a, b}));
  EXPECT_THAT(f, PassesGradCheck({Transpose(b, 0, 1), Transpose(a, 0, 1)}));
}

TEST(GradCheck, NamesTheFirstWrongNumber) {
  const Tensor x = FromValues<double>({1, 2, 3}, {1, 3});
  const auto f = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * 2.0, Wrong(in[1], 0.5)};
  };
  const GradCheckReport report = GradCheck(f, {x, x});
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.explanation,
            "d output 1 (0, 2) / d input 1 (0, 2): the gradient is 6.5, differences give 6");
  EXPECT_THAT(f, Not(PassesGradCheck({x, x})));
}

TEST(GradCheck, SeesASmallError) {
  const Tensor x = FromValues<double>({1, 2, 3});
  EXPECT_THAT([](const Tensor& y) { return Wrong(y, 1e-3); }, Not(PassesGradCheck({x})));
  EXPECT_THAT([](const Tensor& y) { return Wrong(y, 0); }, PassesGradCheck({x}));
}

TEST(GradCheck, AMissingGradientIsWrong) {
  const Tensor x = FromValues<double>({1, 2});
  EXPECT_THAT([](const Tensor& y) { return y.Detach() * 2.0; }, Not(PassesGradCheck({x})));
  EXPECT_THAT([](const Tensor& y) { return y * y.Detach(); }, Not(PassesGradCheck({x})));
}

TEST(GradCheck, ANanIsWrong) {
  EXPECT_THAT([](const Tensor& y) { return Norm(y) + Sqrt(y - y); },
              Not(PassesGradCheck({FromValues<double>({1})})));
}

TEST(GradCheck, ChecksALargeJacobianAlongADirection) {
  Generator generator(1);
  const Tensor x = RandN({200, 3}, generator, DType::kFloat64);
  EXPECT_THAT(Exp, PassesGradCheck({x}));
  EXPECT_THAT(Exp, PassesGradGradCheck({x}));
  const GradCheckReport report = GradCheck(
      [](const std::vector<Tensor>& in) { return std::vector<Tensor>{Wrong(in[0], 1)}; }, {x});
  EXPECT_FALSE(report.passed);
  EXPECT_THAT(report.explanation, HasSubstr("along a random direction of all 600 input elements"));
}

TEST(GradCheck, PassesOtherTypesAlong) {
  const Tensor table = FromValues<double>({1, 2, 3, 4}, {2, 2});
  const Tensor index = FromValues<int64_t>({1, 0, 1});
  const auto f = [](const Tensor& i, const Tensor& weight) { return Square(Embedding(i, weight)); };
  EXPECT_THAT(f, PassesGradCheck({index, table}));
  EXPECT_THAT(f, PassesGradGradCheck({index, table}));
}

TEST(GradCheck, TakesAnExpandedInput) {
  const Tensor x = Expand(FromValues<double>({1, 2}, {2, 1}), {2, 3});
  EXPECT_THAT([](const Tensor& y) { return y * y; }, PassesGradCheck({x}));
}

TEST(GradCheck, RefusesWhatItCannotCheck) {
  const auto f = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{Cast(in[0], DType::kFloat32)};
  };
  EXPECT_EQ(ErrorOf([&] { GradCheck(f, {Zeros({2}, DType::kFloat64)}); }),
            "[gradcheck] output 0: it is float32; differences need float64, so Cast it");
  EXPECT_EQ(ErrorOf([&] { GradCheck(f, {Zeros({2})}); }),
            "[gradcheck] inputs: none is float64, so there is nothing to differentiate");
}

TEST(GradGradCheck, SeesAnErrorOfSecondOrderAlone) {
  const Tensor x = FromValues<double>({1, 2});
  const auto f = [](const Tensor& y) { return Wrong(y, 0, /*only_second_order=*/true); };
  EXPECT_THAT(f, PassesGradCheck({x}));
  EXPECT_THAT(f, Not(PassesGradGradCheck({x})));
}

TEST(GradGradCheck, DiffersWithRespectToCotangentsToo) {
  // A vjp that is not linear in the cotangent.
  const CustomFunction f = {
      .name = "f",
      .forward = [](ForwardContext&, const TensorList& in) { return TensorList{in[0] * 2.0}; },
      .vjp = [](const VjpCall& call) { return TensorList{call.dout(0).Detach() * 2.0}; }};
  const auto fn = [&](const Tensor& x) { return Apply(f, {x})[0]; };
  EXPECT_THAT(fn, PassesGradCheck({FromValues<double>({1, 2})}));
  EXPECT_THAT(fn, Not(PassesGradGradCheck({FromValues<double>({1, 2})})));
}

TEST(GradCheckMatchers, ExplainThemselves) {
  const auto matcher = PassesGradCheck({FromValues<double>({3})});
  ::testing::StringMatchResultListener listener;
  EXPECT_FALSE(
      matcher.impl().MatchAndExplain([](const Tensor& x) { return Wrong(x, 1); }, &listener));
  EXPECT_EQ(listener.str(),
            "d output 0 (0,) / d input 0 (0,): the gradient is 7, differences give 6");
}

}  // namespace
}  // namespace lemma
