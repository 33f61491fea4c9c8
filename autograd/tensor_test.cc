#include "autograd/tensor.h"

#include <memory>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/views.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Tensor, CopiesOfAHandleShareElements) {
  Tensor x = FromValues<float>({1, 2, 3});
  const Tensor same = x;
  x.mutable_data<float>()[1] = 7;
  EXPECT_THAT(same.ToVector<float>(), ElementsAre(1, 7, 3));
}

TEST(Tensor, KnowsItsShape) {
  const Tensor x = Zeros({2, 3, 4}, DType::kInt32);
  EXPECT_EQ(x.shape(), Shape({2, 3, 4}));
  EXPECT_EQ(x.rank(), 3);
  EXPECT_EQ(x.numel(), 24);
  EXPECT_EQ(x.size(-1), 4);
  EXPECT_EQ(x.dtype(), DType::kInt32);
  EXPECT_THAT(x.strides(), ElementsAre(12, 4, 1));
  EXPECT_EQ(ErrorOf([&] { x.size(3); }),
            "[size] dim: 3 is not in [-3, 2], the dimensions of a tensor of rank 3");
  EXPECT_EQ(ErrorOf([&] { Scalar(1).size(0); }), "[size] dim: a scalar has no dimension 0");
}

TEST(Tensor, UndefinedIsAnErrorAndNotACrash) {
  Tensor x;
  EXPECT_FALSE(x.defined());
  EXPECT_FALSE(x.requires_grad());
  EXPECT_FALSE(x.grad().defined());
  const std::string text =
      "[tensor] the tensor is undefined: it was given no value, or is the gradient of a leaf that "
      "no Backward has reached";
  EXPECT_EQ(ErrorOf([&] { x.shape(); }), text);
  EXPECT_EQ(ErrorOf([&] { x.numel(); }), text);
  EXPECT_EQ(ErrorOf([&] { x.dtype(); }), text);
  EXPECT_EQ(ErrorOf([&] { x.strides(); }), text);
  EXPECT_EQ(ErrorOf([&] { x.Item(); }), text);
  EXPECT_EQ(ErrorOf([&] { x.ToVector<float>(); }), text);
  EXPECT_EQ(ErrorOf([&] { x.Detach(); }), text);
  EXPECT_EQ(ErrorOf([&] { x.SetRequiresGrad(true); }), text);
  EXPECT_EQ(ErrorOf([&] { x.data<float>(); }), text);
  const Tensor leaf = Zeros({2}).SetRequiresGrad(true);
  EXPECT_EQ(ErrorOf([&] { leaf.grad().shape(); }), text);
}

TEST(Tensor, ReadsThroughViews) {
  const Tensor x = FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_THAT(Transpose(x, 0, 1).ToVector<float>(), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(Slice(x, 1, 0, 3, 2).ToVector<float>(), ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(Expand(Slice(x, 1, 0, 1), {2, 2}).ToVector<float>(), ElementsAre(1, 1, 4, 4));
}

TEST(Tensor, ItemIsTheOneElement) {
  EXPECT_EQ(FromValues<int64_t>({5}).Item(), 5);
  EXPECT_EQ(Select(FromValues<float>({1, 2.5}), 0, 1).Item(), 2.5);
  EXPECT_EQ(ErrorOf([] { Zeros({2}).Item(); }),
            "[item] only a tensor with one element is a number; the shape is (2,); read several "
            "with ToVector");
}

TEST(Tensor, RefusesToReadElementsAsAnotherType) {
  EXPECT_EQ(ErrorOf([] { Zeros({2}).data<double>(); }),
            "[data] the elements are float32, not float64; ask for their type, or use Cast");
}

TEST(Tensor, RefusesImpossibleShapes) {
  EXPECT_EQ(ErrorOf([] {
              Tensor::Empty({2, -1});
            }),
            "[empty] shape: sizes can't be negative; the shape is (2, -1)");
  EXPECT_THAT(ErrorOf([] {
                Tensor::Empty({int64_t{1} << 40, int64_t{1} << 40});
              }),
              HasSubstr("[shape] "));
}

TEST(Tensor, WritingRaisesTheVersion) {
  Tensor x = Zeros({2});
  const uint32_t before = x.storage()->version();
  x.data<float>();
  EXPECT_EQ(x.storage()->version(), before);
  x.mutable_data<float>();
  EXPECT_EQ(x.storage()->version(), before + 1);
}

TEST(Tensor, ForeignMemoryIsReadButNotWritten) {
  auto keeper = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  Tensor x = Tensor::View(Storage::Foreign(keeper->data(), 16, keeper, /*read_only=*/true),
                          DType::kFloat32, {2, 2}, {2, 1}, 0);
  EXPECT_THAT((x + x).ToVector<float>(), ElementsAre(2, 4, 6, 8));
  const std::string text =
      "[mutable_data] the elements are in memory that is read only; change a Clone() instead";
  EXPECT_EQ(ErrorOf([&] { x.mutable_data<float>(); }), text);
  EXPECT_EQ(ErrorOf([&] { Fill(x, 0); }), text);
}

TEST(Tensor, ForeignMemoryIsNotOverwrittenByAnOpThatItIsGivenTo) {
  auto keeper = std::make_shared<std::vector<float>>(std::vector<float>{1, 2});
  Tensor x = Tensor::View(Storage::Foreign(keeper->data(), 8, keeper, /*read_only=*/false),
                          DType::kFloat32, {2}, {1}, 0);
  const Tensor y = std::move(x) * 3.0;
  EXPECT_THAT(y.ToVector<float>(), ElementsAre(3, 6));
  EXPECT_THAT(*keeper, ElementsAre(1, 2));
}

TEST(Tensor, OpsReuseAnArgumentThatIsGivenUp) {
  Tensor x = FromValues<float>({1, 2});
  const void* memory = x.raw_data();
  const Tensor y = std::move(x) * 3.0;
  EXPECT_EQ(y.raw_data(), memory);
  Tensor kept = FromValues<float>({1, 2});
  const Tensor view = Slice(kept, 0, 0, 1);
  const Tensor z = std::move(kept) * 3.0;
  EXPECT_THAT(view.ToVector<float>(), ElementsAre(1));
}

TEST(Tensor, ResultsAreNotLeaves) {
  Tensor x = Zeros({2}).SetRequiresGrad(true);
  EXPECT_TRUE(x.is_leaf());
  Tensor y = x * 2.0;
  EXPECT_TRUE(y.requires_grad());
  EXPECT_FALSE(y.is_leaf());
  EXPECT_EQ(ErrorOf([&] { y.SetRequiresGrad(false); }),
            "[requires_grad] only a leaf can change it; this tensor is a result of mul: use "
            "Detach()");
}

TEST(Tensor, OnlyFloatsRequireAGradient) {
  EXPECT_EQ(ErrorOf([] { Arange(3).SetRequiresGrad(true); }),
            "[requires_grad] only float tensors have gradients; this one is int64");
}

TEST(Tensor, DetachedIsALeafOfItsOwn) {
  const Tensor x = FromValues<float>({1, 2});
  Tensor y = x.Detach();
  y.SetRequiresGrad(true);
  EXPECT_FALSE(x.requires_grad());
  EXPECT_EQ(y.raw_data(), x.raw_data());
  const Tensor z = y * 2.0;
  EXPECT_FALSE(z.Detach().requires_grad());
  EXPECT_TRUE(z.Detach().is_leaf());
}

TEST(Tensor, SetGradChecksShapeAndType) {
  Tensor x = Zeros({2}).SetRequiresGrad(true);
  x.SetGrad(FromValues<float>({1, 2}));
  EXPECT_THAT(x.grad().ToVector<float>(), ElementsAre(1, 2));
  x.SetGrad(Tensor());
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(ErrorOf([&] { x.SetGrad(Zeros({3})); }),
            "[set_grad] the gradient is float32 (3,), the tensor is float32 (2,)");
  Tensor plain = Zeros({2});
  EXPECT_EQ(ErrorOf([&] { plain.SetGrad(Zeros({2})); }),
            "[set_grad] only a leaf that requires a gradient holds one; call SetRequiresGrad(true) "
            "on a leaf");
}

TEST(NoGrad, StopsRecordingUntilItEnds) {
  const Tensor x = Zeros({2}).SetRequiresGrad(true);
  {
    NoGrad no_grad;
    EXPECT_FALSE(IsGradEnabled());
    EXPECT_FALSE((x * 2.0).requires_grad());
    {
      EnableGrad enable_grad;
      EXPECT_TRUE((x * 2.0).requires_grad());
    }
    EXPECT_FALSE(IsGradEnabled());
  }
  EXPECT_TRUE((x * 2.0).requires_grad());
}

TEST(CompoundAssignment, BindsAnotherTensor) {
  Tensor x = FromValues<float>({1, 2});
  const Tensor before = x;
  x += FromValues<float>({10, 20});
  EXPECT_THAT(x.ToVector<float>(), ElementsAre(11, 22));
  EXPECT_THAT(before.ToVector<float>(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace lemma
