#include "autograd/ops/join.h"

#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/sum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Fn>
std::string ErrorOf(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Concat, JoinsAlongAnyDimension) {
  const Tensor a = FromValues<float>({1, 2, 3, 4}, {2, 2});
  const Tensor b = Transpose(FromValues<float>({5, 6, 7, 8}, {2, 2}), 0, 1);
  EXPECT_THAT(Concat({a, b}).ToVector<float>(), ElementsAre(1, 2, 3, 4, 5, 7, 6, 8));
  EXPECT_THAT(Concat({a, b}, -1).ToVector<float>(), ElementsAre(1, 2, 5, 7, 3, 4, 6, 8));
}

TEST(Concat, PassesOverNothing) {
  const Tensor a = FromValues<float>({1, 2}, {1, 2});
  EXPECT_THAT(Concat({Zeros({0}), a, Zeros({0, 2})}, 0).ToVector<float>(), ElementsAre(1, 2));
  EXPECT_EQ(Concat({Zeros({0}), Zeros({0})}).shape(), (Shape{0}));
}

TEST(Concat, GivesEachInputItsPartOfTheGradient) {
  Tensor a = Zeros({2, 1}, DType::kFloat64), b = Zeros({2, 2}, DType::kFloat64);
  a.SetRequiresGrad(true);
  b.SetRequiresGrad(true);
  const Tensor weight = FromValues<double>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4});
  Backward(Sum(Concat({a, b, a}, 1) * weight));
  EXPECT_THAT(a.grad().ToVector<double>(), ElementsAre(5, 13));
  EXPECT_THAT(b.grad().ToVector<double>(), ElementsAre(2, 3, 6, 7));
}

TEST(Concat, JoinsMoreTensorsThanAWordHasBits) {
  std::vector<Tensor> many;
  for (int i = 0; i < 100; ++i) many.push_back(Full({1}, i, DType::kFloat64));
  many[99].SetRequiresGrad(true);
  const Tensor y = Concat(many);
  EXPECT_EQ(y.ToVector<double>()[73], 73);
  Backward(Sum(y));
  EXPECT_EQ(many[99].grad().Item(), 1);
}

TEST(Concat, SaysWhatDoesNotFit) {
  EXPECT_THAT(ErrorOf([] {
                Concat({Zeros({2, 3}), Zeros({2, 2})});
              }),
              HasSubstr("number 0 is (2, 3), number 1 is (2, 2)"));
  EXPECT_THAT(ErrorOf([] { Concat({Zeros({2}), Zeros({2}, DType::kInt64)}); }), HasSubstr("int64"));
  EXPECT_THAT(ErrorOf([] { Concat({}); }), HasSubstr("at least one"));
  EXPECT_THAT(ErrorOf([] { Concat({Scalar(1)}); }), HasSubstr("a scalar can't be joined"));
}

TEST(Stack, PutsScalarsIntoAVector) {
  EXPECT_THAT(Stack({Scalar(1), Scalar(2)}).ToVector<float>(), ElementsAre(1, 2));
  EXPECT_EQ(Stack({Zeros({2, 3}), Zeros({2, 3})}, -1).shape(), (Shape{2, 3, 2}));
  EXPECT_THAT(ErrorOf([] { Stack({Zeros({2}), Zeros({3})}); }), HasSubstr("all shapes"));
}

}  // namespace
}  // namespace lemma
