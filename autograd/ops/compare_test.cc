#include "autograd/ops/compare.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename Fn>
std::string ErrorOf(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<bool> Bits(const Tensor& x) { return x.ToVector<bool>(); }

TEST(Compare, OrdersNumbersAndIsFalseForNaN) {
  const Tensor a = FromValues<double>({1, 2, 3, kNaN, kInf});
  const Tensor b = FromValues<double>({2, 2, 2, 2, kInf});
  EXPECT_THAT(Bits(Equal(a, b)), ElementsAre(false, true, false, false, true));
  EXPECT_THAT(Bits(NotEqual(a, b)), ElementsAre(true, false, true, true, false));
  EXPECT_THAT(Bits(Less(a, b)), ElementsAre(true, false, false, false, false));
  EXPECT_THAT(Bits(LessEqual(a, b)), ElementsAre(true, true, false, false, true));
  EXPECT_THAT(Bits(Greater(a, b)), ElementsAre(false, false, true, false, false));
  EXPECT_THAT(Bits(GreaterEqual(a, b)), ElementsAre(false, true, true, false, true));
}

TEST(Compare, WithANumberIsTheSame) {
  const Tensor a = FromValues<float>({1, 2, 3});
  EXPECT_THAT(Bits(Equal(a, 2)), ElementsAre(false, true, false));
  EXPECT_THAT(Bits(NotEqual(a, 2)), ElementsAre(true, false, true));
  EXPECT_THAT(Bits(Less(a, 2)), ElementsAre(true, false, false));
  EXPECT_THAT(Bits(LessEqual(a, 2)), ElementsAre(true, true, false));
  EXPECT_THAT(Bits(Greater(a, 2)), ElementsAre(false, false, true));
  EXPECT_THAT(Bits(GreaterEqual(a, 2)), ElementsAre(false, true, true));
}

TEST(Compare, BroadcastsAndHasNoGradient) {
  Tensor column = FromValues<float>({0, 1}, {2, 1}).SetRequiresGrad(true);
  const Tensor y = LessEqual(FromValues<float>({0, 1, 2}), column);
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_THAT(Bits(y), ElementsAre(true, false, false, true, true, false));
  EXPECT_FALSE(y.requires_grad());
  EXPECT_THAT(Bits(Equal(FromValues<bool>({true, false}), FromValues<bool>({true}))),
              ElementsAre(true, false));
  EXPECT_THAT(Bits(Less(FromValues<int64_t>({1, 5}), 3)), ElementsAre(true, false));
}

TEST(Compare, LogicFollowsItsTables) {
  const Tensor a = FromValues<bool>({false, false, true, true});
  const Tensor b = FromValues<bool>({false, true, false, true});
  EXPECT_THAT(Bits(LogicalAnd(a, b)), ElementsAre(false, false, false, true));
  EXPECT_THAT(Bits(LogicalOr(a, b)), ElementsAre(false, true, true, true));
  EXPECT_THAT(Bits(LogicalNot(a)), ElementsAre(true, true, false, false));
  EXPECT_THAT(Bits(IsFinite(FromValues<float>({0, -INFINITY, NAN, 3e38f}))),
              ElementsAre(true, false, false, true));
}

TEST(Where, ChoosesAndBroadcastsAllThree) {
  const Tensor condition = FromValues<bool>({true, false}, {2, 1});
  const Tensor y = Where(condition, FromValues<double>({1, 2, 3}), Scalar(9, DType::kFloat64));
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_THAT(y.ToVector<double>(), ElementsAre(1, 2, 3, 9, 9, 9));
  const Tensor x = FromValues<int64_t>({5, 6}, {2, 1});
  EXPECT_THAT(Where(condition, x, 0.0).ToVector<int64_t>(), ElementsAre(5, 0));
  EXPECT_THAT(Where(condition, 0.0, x).ToVector<int64_t>(), ElementsAre(0, 6));
}

TEST(Where, SendsTheGradientToTheChosenSideAlone) {
  Tensor a = FromValues<double>({1, kNaN}).SetRequiresGrad(true);
  Tensor b = FromValues<double>({kInf, 2}, {1, 2}).SetRequiresGrad(true);
  const Tensor y = Where(FromValues<bool>({true, false}), a, b);
  const auto d = Grad({y}, {a, b}, {.grad_outputs = {FromValues<double>({3, 5}, {1, 2})}});
  EXPECT_THAT(d[0].ToVector<double>(), ElementsAre(3, 0));
  EXPECT_THAT(d[1].ToVector<double>(), ElementsAre(0, 5));
}

TEST(MaskedFill, FillsAndStopsTheGradientThere) {
  Tensor x = FromValues<double>({1, 2, 3, 4}, {2, 2}).SetRequiresGrad(true);
  const Tensor y = MaskedFill(x, FromValues<bool>({false, true}), -kInf);
  EXPECT_THAT(y.ToVector<double>(), ElementsAre(1, -kInf, 3, -kInf));
  const Tensor dy = Full({2, 2}, 7, DType::kFloat64);
  EXPECT_THAT(Grad({y}, {x}, {.grad_outputs = {dy}})[0].ToVector<double>(),
              ElementsAre(7, 0, 7, 0));
  const Tensor stretched = MaskedFill(Scalar(1), FromValues<bool>({true, false}), 5);
  EXPECT_THAT(stretched.ToVector<float>(), ElementsAre(5, 1));
}

TEST(MaskedFill, OverwritesATensorGivenUp) {
  Tensor x = Ones({3});
  const void* memory = x.raw_data();
  const Tensor y = MaskedFill(std::move(x), FromValues<bool>({true, false, true}), 2);
  EXPECT_EQ(y.raw_data(), memory);
  EXPECT_THAT(y.ToVector<float>(), ElementsAre(2, 1, 2));
}

TEST(Compare, SaysWhatDoesNotFit) {
  const Tensor x = Ones({2});
  EXPECT_THAT(ErrorOf([&] { Less(x, Ones({2}, DType::kFloat64)); }),
              HasSubstr("[less] b: its dtype"));
  EXPECT_THAT(ErrorOf([&] { Equal(x, Ones({3})); }), HasSubstr("[equal] b: its size 3"));
  EXPECT_THAT(ErrorOf([&] { LogicalNot(x); }), HasSubstr("[logical_not] x: must be bool"));
  EXPECT_THAT(ErrorOf([&] { Where(x, x, x); }), HasSubstr("[where] condition: must be bool"));
  EXPECT_THAT(ErrorOf([&] { Where(x, x, 1.0); }), HasSubstr("[where] condition: must be bool"));
  EXPECT_THAT(ErrorOf([&] { Where(Equal(x, x), x, Ones({2}, DType::kInt64)); }),
              HasSubstr("[where] b: its dtype"));
  EXPECT_THAT(ErrorOf([&] {
                MaskedFill(x, FromValues<bool>({true, true, true}), 0);
              }),
              HasSubstr("[masked_fill] mask: its size 3"));
  EXPECT_THAT(ErrorOf([&] { MaskedFill(Ones({2}, DType::kInt64), Equal(x, x), 0.5); }),
              HasSubstr("0.5 is not a value of int64"));
}

}  // namespace
}  // namespace lemma
