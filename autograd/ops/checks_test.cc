#include "autograd/ops/checks.h"

#include <string>

#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

template <typename Fn>
std::string ErrorOf(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Checks, PassWhatFits) {
  const Tensor x = Ones({2, 3});
  EXPECT_EQ(ErrorOf([&] {
              CheckDefined("op", "x", x);
              CheckFloat("op", "x", x);
              CheckNumber("op", "x", x);
              CheckBool("op", "x", Ones({1}, DType::kBool));
              CheckIndex("op", "x", Ones({1}, DType::kInt64));
              CheckSameDType("op", x, Ones({5}));
              CheckRank("op", "x", x, 2);
              CheckMinRank("op", "x", x, 2);
              CheckShape("op", "x", x, {2, 3});
              CheckScalar("op", "n", 0.1, DType::kBFloat16);
              CheckScalar("op", "n", -7, DType::kInt32);
              CheckScalar("op", "n", 1, DType::kBool);
              CheckBroadcastsTo("op", "x", {3}, {2, 3});
            }),
            "no error");
  EXPECT_EQ(BroadcastOrFail("op", x, Ones({4, 1, 3})), (Shape{4, 2, 3}));
}

TEST(Checks, NameOpArgumentRuleAndWhatWasGiven) {
  const Tensor x = Ones({2, 3});
  EXPECT_EQ(ErrorOf([&] { CheckRank("op", "x", x, 1); }),
            "[op] x: must have 1 dimension, and has 2; it is (2, 3)");
  EXPECT_EQ(ErrorOf([&] { CheckMinRank("op", "x", x, 3); }),
            "[op] x: must have at least 3 dimensions, and has 2; it is (2, 3)");
  EXPECT_EQ(ErrorOf([&] {
              CheckShape("op", "x", x, {3, 2});
            }),
            "[op] x: its shape must be (3, 2), and is (2, 3)");
  EXPECT_EQ(ErrorOf([&] { CheckBool("op", "mask", x); }),
            "[op] mask: must be bool, and is float32; compare it, as in NotEqual(mask, 0)");
  EXPECT_EQ(ErrorOf([&] { CheckIndex("op", "index", x); }),
            "[op] index: must be int64, and is float32; use Cast(index, DType::kInt64)");
  EXPECT_EQ(ErrorOf([&] { CheckDefined("op", "x", Tensor()); }),
            "[op] x: the tensor is undefined; give it a value first");
}

TEST(Checks, ANumberMustBeAValueOfTheDType) {
  for (double value : {0.5, 2147483648.0, -2147483649.0, 1e300}) {
    EXPECT_NE(ErrorOf([&] { CheckScalar("op", "n", value, DType::kInt32); }), "no error") << value;
  }
  EXPECT_NE(ErrorOf([&] { CheckScalar("op", "n", 0.0 / 0.0, DType::kInt64); }), "no error");
  EXPECT_NE(ErrorOf([&] { CheckScalar("op", "n", 2, DType::kBool); }), "no error");
}

TEST(Checks, BroadcastingNamesTheDimensionThatDoesNotFit) {
  EXPECT_EQ(ErrorOf([&] {
              BroadcastOrFail("op", "x", {5, 4, 3}, "bias", {2, 1, 3});
            }),
            "[op] bias: its size 2 in dimension -3 must be 1 or the 5 of x; x is (5, 4, 3), bias "
            "is (2, 1, 3)");
  EXPECT_EQ(ErrorOf([&] {
              CheckBroadcastsTo("op", "x", {2, 3}, {3});
            }),
            "[op] x: (2, 3) does not broadcast to (3,); sizes aligned at the end must be equal, or "
            "1 in x");
}

}  // namespace
}  // namespace lemma
