#include "autograd/functional.h"

#include <cmath>
#include <string>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/pow.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

Tensor Doubles(std::initializer_list<double> values) { return FromValues<double>(values); }

TEST(Vjp, IsTheTransposedJacobianTimesDout) {
  const Tensor a = FromValues<double>({1, 2, 3, 4}, {2, 2});
  const Tensor x = Doubles({1, 1});
  const auto f = [&](const Tensor& v) { return MatMul(a, v); };
  EXPECT_THAT(Vjp(f, x, Doubles({1, 10})).ToVector<double>(), ElementsAre(31, 42));
  EXPECT_FALSE(x.requires_grad());
}

TEST(Jvp, IsTheJacobianTimesTheTangent) {
  const Tensor a = FromValues<double>({1, 2, 3, 4}, {2, 2});
  const auto f = [&](const Tensor& v) { return MatMul(a, v); };
  EXPECT_THAT(Jvp(f, Doubles({1, 1}), Doubles({1, 10})).ToVector<double>(), ElementsAre(21, 43));
}

TEST(Jvp, OfSeveralInputsAndOutputsAddsUp) {
  const auto f = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[0] * in[1], Sum(in[0])};
  };
  const FunctionalResult result =
      Jvp(f, {Doubles({2, 3}), Doubles({5, 7})}, {Doubles({1, 1}), Doubles({10, 0})});
  EXPECT_THAT(result.outputs[0].ToVector<double>(), ElementsAre(10, 21));
  EXPECT_THAT(result.products[0].ToVector<double>(), ElementsAre(25, 7));
  EXPECT_EQ(result.products[1].Item(), 2);
}

TEST(Vjp, GivesZerosForAnInputThatIsNotUsed) {
  const auto f = [](const std::vector<Tensor>& in) { return std::vector<Tensor>{in[0] * 2.0}; };
  const FunctionalResult result =
      Vjp(f, {Doubles({1}), Doubles({1, 2}), Arange(3)}, {Doubles({1})});
  EXPECT_THAT(result.products[0].ToVector<double>(), ElementsAre(2));
  EXPECT_THAT(result.products[1].ToVector<double>(), ElementsAre(0, 0));
  EXPECT_THAT(result.products[2].ToVector<int64_t>(), ElementsAre(0, 0, 0));
}

TEST(Jvp, OfAConstantIsZero) {
  const auto f = [](const Tensor& x) { return Sign(x); };
  EXPECT_THAT(Jvp(f, Doubles({1, -2}), Doubles({1, 1})).ToVector<double>(), ElementsAre(0, 0));
}

TEST(Jvp, OfTheIdentityIsTheTangent) {
  const auto f = [](const Tensor& x) { return x; };
  EXPECT_THAT(Jvp(f, Doubles({1, 2}), Doubles({3, 4})).ToVector<double>(), ElementsAre(3, 4));
}

TEST(Jacobian, OfSoftmaxIsDiagonalMinusOuterProduct) {
  const Tensor x = Doubles({0.1, -0.4, 0.7});
  const std::vector<double> p = Softmax(x, 0).ToVector<double>();
  const Tensor jacobian = Jacobian([](const Tensor& v) { return Softmax(v, 0); }, x);
  ASSERT_EQ(jacobian.shape(), Shape({3, 3}));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(jacobian.ToVector<double>()[i * 3 + j], (i == j ? p[i] : 0) - p[i] * p[j], 1e-15);
    }
  }
}

TEST(Jacobian, HasTheShapeOfOutputAndInput) {
  const Tensor x = Ones({2, 3}, DType::kFloat64);
  const Tensor jacobian = Jacobian([](const Tensor& v) { return Sum(v, {0}); }, x);
  EXPECT_EQ(jacobian.shape(), Shape({3, 2, 3}));
  EXPECT_EQ(Select(Select(Select(jacobian, 0, 1), 0, 0), 0, 1).Item(), 1);
  EXPECT_EQ(Select(Select(Select(jacobian, 0, 1), 0, 0), 0, 2).Item(), 0);
  EXPECT_THAT(Jacobian([](const Tensor& v) { return Sign(v); }, x).ToVector<double>(), Each(0));
}

TEST(Hessian, OfACubeIsDiagonal) {
  const auto f = [](const Tensor& x) { return Sum(Pow(x, 3.0)); };
  EXPECT_THAT(Hessian(f, Doubles({1, 2})).ToVector<double>(), ElementsAre(6, 0, 0, 12));
}

TEST(Hessian, OfALinearFunctionIsZero) {
  const auto f = [](const Tensor& x) { return Sum(x * 3.0); };
  EXPECT_THAT(Hessian(f, Doubles({1, 2})).ToVector<double>(), ElementsAre(0, 0, 0, 0));
}

TEST(Hvp, IsTheHessianTimesTheVector) {
  const auto f = [](const Tensor& x) { return Sum(Exp(x) * Sum(x * x)); };
  const Tensor x = Doubles({0.3, -0.2, 0.5}), v = Doubles({1, 2, 3});
  const std::vector<double> expected = MatMul(Hessian(f, x), v).ToVector<double>();
  const std::vector<double> actual = Hvp(f, x, v).ToVector<double>();
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], 1e-13);
  EXPECT_THAT(Hvp([](const Tensor& y) { return Sum(y); }, x, v).ToVector<double>(),
              ElementsAre(0, 0, 0));
}

TEST(Functional, ResultsHaveNoHistoryAndNestInEachOther) {
  const auto square = [](const Tensor& x) { return Sum(x * x * x); };
  const Tensor x = Doubles({2});
  EXPECT_FALSE(Vjp(square, x, Scalar(1, DType::kFloat64)).requires_grad());
  EXPECT_FALSE(Jvp(square, x, Doubles({1})).requires_grad());
  EXPECT_FALSE(Hessian(square, x).requires_grad());
  NoGrad no_grad;
  EXPECT_THAT(Hessian(square, x).ToVector<double>(), ElementsAre(12));
}

TEST(Functional, WrongCallsSayWhatDoesNotFit) {
  const auto list = [](const std::vector<Tensor>& in) { return in; };
  const auto f = [](const Tensor& x) { return x * 2.0; };
  const Tensor x = Doubles({1, 2});
  EXPECT_EQ(ErrorOf([&] { Vjp(list, std::vector<Tensor>{x}, std::vector<Tensor>{}); }),
            "[vjp] douts: there are 0, there must be 1");
  EXPECT_EQ(ErrorOf([&] { Jvp(list, std::vector<Tensor>{x}, std::vector<Tensor>{}); }),
            "[jvp] tangents: there are 0, there must be 1");
  EXPECT_EQ(ErrorOf([&] { Jvp(f, x, Doubles({1})); }),
            "[jvp] tangents[0]: it must be float64 (2,) as its input; it is float64 (1,)");
  EXPECT_EQ(ErrorOf([&] { Vjp(f, x, Doubles({1})); }),
            "[vjp] douts[0]: it must be float64 (2,) as its output; it is float64 (1,)");
  EXPECT_EQ(ErrorOf([&] { Hessian(f, x); }),
            "[hessian] f: it must return a scalar; it returned (2,)");
  EXPECT_EQ(ErrorOf([&] { Hvp([](const Tensor& y) { return Sum(y * y); }, x, Doubles({1})); }),
            "[hvp] v: it must be float64 (2,) as x; it is float64 (1,)");
  EXPECT_EQ(ErrorOf([&] { Jacobian(f, Arange(2)); }),
            "[jacobian] x: only float tensors have derivatives; it is int64");
}

TEST(Functional, AnEmptyFunctionAndAnUndefinedResultAreNamed) {
  const Tensor x = FromValues<double>({1, 2});
  const TensorFunction empty = nullptr, nothing = [](const Tensor&) { return Tensor(); };
  const auto errors = [&](const TensorFunction& f) {
    return std::vector<std::string>{ErrorOf([&] { Vjp(f, x, x); }), ErrorOf([&] { Jvp(f, x, x); }),
                                    ErrorOf([&] { Jacobian(f, x); }),
                                    ErrorOf([&] { Hessian(f, x); }),
                                    ErrorOf([&] { Hvp(f, x, x); })};
  };
  EXPECT_THAT(errors(empty), testing::ElementsAre("[vjp] f: the function is empty; pass one",
                                                  "[jvp] f: the function is empty; pass one",
                                                  "[jacobian] f: the function is empty; pass one",
                                                  "[hessian] f: the function is empty; pass one",
                                                  "[hvp] f: the function is empty; pass one"));
  EXPECT_THAT(errors(nothing),
              testing::Each(testing::HasSubstr("f: it returned an undefined tensor")));
}

}  // namespace
}  // namespace lemma
