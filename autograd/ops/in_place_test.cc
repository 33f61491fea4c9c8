#include "autograd/ops/in_place.h"

#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/views.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"
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

TEST(InPlace, ChangesEveryHandleOfTheElements) {
  Tensor x = FromValues<float>({1, 2});
  const Tensor same = x;
  Fill(x, 7);
  EXPECT_THAT(same.ToVector<float>(), ElementsAre(7, 7));
  CopyFrom(x, FromValues<float>({3, 4}));
  EXPECT_THAT(same.ToVector<float>(), ElementsAre(3, 4));
  AddInPlace(x, FromValues<float>({10, 20}));
  EXPECT_THAT(same.ToVector<float>(), ElementsAre(13, 24));
  AddInPlace(x, FromValues<float>({10, 20}), -0.5);
  EXPECT_THAT(same.ToVector<float>(), ElementsAre(8, 14));
}

TEST(InPlace, OfAViewChangesOnlyWhatItShows) {
  Tensor x = Zeros({2, 3});
  Tensor column = Tensor::View(x.storage(), x.dtype(), {2}, {3}, 1);
  Fill(column, 1);
  AddInPlace(column, FromValues<float>({1, 2}));
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(0, 2, 0, 0, 3, 0));
  CopyFrom(column, FromValues<int64_t>({8}));
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(0, 8, 0, 0, 8, 0));
}

TEST(InPlace, BroadcastsAndConverts) {
  Tensor x = Tensor::Empty({2, 2}, DType::kInt32);
  CopyFrom(x, FromValues<double>({1.9, -1.9}));
  EXPECT_THAT(x.ToVector<int32_t>(), ElementsAre(1, -1, 1, -1));
  AddInPlace(x, FromValues<int32_t>({1, 2}, {2, 1}), 3);
  EXPECT_THAT(x.ToVector<int32_t>(), ElementsAre(4, 2, 7, 5));
  Tensor flags = Tensor::Empty({3}, DType::kBool);
  CopyFrom(flags, FromValues<float>({0, 0.5, -2}));
  EXPECT_THAT(flags.ToVector<bool>(), ElementsAre(false, true, true));
  Tensor empty = Tensor::Empty({0, 2});
  Fill(empty, 1);
  AddInPlace(empty, Ones({2}));
}

TEST(InPlace, ReadsTheOldElementsWhereBothShareMemory) {
  Tensor x = FromValues<float>({1, 2, 3, 4}, {2, 2});
  const Tensor transposed = Tensor::View(x.storage(), x.dtype(), {2, 2}, {1, 2}, 0);
  CopyFrom(x, transposed);
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(1, 3, 2, 4));
  AddInPlace(x, transposed);
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(2, 5, 5, 8));
  AddInPlace(x, x);
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(4, 10, 10, 16));
}

TEST(InPlace, RunsUnderNoGradAlone) {
  Tensor x = Ones({2}).SetRequiresGrad(true);
  Tensor plain = Ones({2});
  EXPECT_THAT(ErrorOf([&] { Fill(x, 0); }), HasSubstr("[fill] x: requires a gradient"));
  EXPECT_THAT(ErrorOf([&] { AddInPlace(x, plain); }), HasSubstr("put it under NoGrad"));
  EXPECT_THAT(ErrorOf([&] { CopyFrom(plain, x); }), HasSubstr("[copy_from] from: requires"));
  EXPECT_THAT(ErrorOf([&] { AddInPlace(plain, x); }), HasSubstr("[add_in_place] y: requires"));
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(1, 1));
  const NoGrad no_grad;
  AddInPlace(x, plain, 2);
  CopyFrom(plain, x);
  EXPECT_THAT(plain.ToVector<float>(), ElementsAre(3, 3));
  EXPECT_TRUE(x.requires_grad());
}

TEST(InPlace, BackwardThroughAValueChangedSinceThrows) {
  Tensor w = Full({2}, 3).SetRequiresGrad(true);
  Tensor x = Full({2}, 5);
  const Tensor y = w * x;
  Fill(x, 0);
  EXPECT_THAT(ErrorOf([&] { Grad({y}, {w}, {.grad_outputs = {Ones({2})}}); }),
              HasSubstr("[mul] a tensor (2,) that was saved for the gradient has been changed"));
}

TEST(InPlace, RefusesWhatIsShownTwiceAndWhatDoesNotFit) {
  Tensor row = Ones({2});
  Tensor expanded = Expand(row, {3, 2});
  EXPECT_THAT(ErrorOf([&] {
                AddInPlace(expanded, Ones({3, 2}));
              }),
              HasSubstr("[add_in_place] x: shows the same element several times"));
  EXPECT_EQ(ErrorOf([&] {
              AddInPlace(row, Ones({3, 2}));
            }),
            "[add_in_place] y: (3, 2) does not broadcast to (2,); sizes aligned at the end must be "
            "equal, or 1 in y");
  EXPECT_THAT(ErrorOf([&] { AddInPlace(row, Ones({2}, DType::kFloat64)); }), HasSubstr("dtype"));
  EXPECT_THAT(ErrorOf([&] { CopyFrom(row, Tensor()); }), HasSubstr("undefined"));
  Tensor whole = Ones({2}, DType::kInt64);
  EXPECT_THAT(ErrorOf([&] { Fill(whole, 1.5); }), HasSubstr("[fill] value: 1.5 is not a value"));
}

}  // namespace
}  // namespace lemma
