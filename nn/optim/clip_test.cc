#include "nn/optim/clip.h"

#include <cmath>
#include <utility>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/views.h"
#include "autograd/testing.h"
#include "gtest/gtest.h"

namespace lemma::optim {
namespace {

Tensor WithGrad(Tensor grad) {
  Tensor leaf = ZerosLike(grad);
  leaf.SetRequiresGrad(true);
  leaf.SetGrad(std::move(grad));
  return leaf;
}

TEST(Clip, TheNormIsThatOfAllGradientsTogether) {
  const Tensor a = WithGrad(FromValues<float>({2, 3}));
  const Tensor b = WithGrad(FromValues<double>({6, 0, 0}));
  Tensor none = Zeros({4});
  none.SetRequiresGrad(true);
  EXPECT_DOUBLE_EQ(GradNorm({a, none, b}), 7);
  EXPECT_EQ(GradNorm({none}), 0);
  EXPECT_EQ(GradNorm({}), 0);
}

TEST(Clip, TheNormOfAViewIsThatOfWhatItShows) {
  const Tensor wide = FromValues<float>({3, 100, 4, 100}, {2, 2});
  EXPECT_DOUBLE_EQ(GradNorm({WithGrad(Slice(wide, 1, 0, 1))}), 5);
}

TEST(Clip, LargeFloatsDoNotOverflow) {
  EXPECT_NEAR(GradNorm({WithGrad(FromValues<float>({3e30f, 4e30f}))}), 5e30, 1e24);
}

TEST(Clip, TheFactorIsAtMostOne) {
  EXPECT_EQ(ClipFactor(0.5, 1), 1);
  EXPECT_EQ(ClipFactor(0, 1), 1);
  EXPECT_DOUBLE_EQ(ClipFactor(4, 1), 1 / (4 + 1e-6));
  EXPECT_EQ(ErrorOf([] { ClipFactor(1, 0); }), "[clip] max_norm: it must be positive; it is 0");
  EXPECT_EQ(ErrorOf([] { ClipFactor(1, std::nan("")); }),
            "[clip] max_norm: it must be positive; it is nan");
}

TEST(Clip, LargeGradientsShrinkToTheNorm) {
  const Tensor a = WithGrad(FromValues<double>({3, 0})), b = WithGrad(FromValues<double>({0, 4}));
  EXPECT_DOUBLE_EQ(ClipGradNorm({a, b}, 1), 5);
  EXPECT_NEAR(GradNorm({a, b}), 1, 1e-6);
  EXPECT_NEAR(a.grad().ToVector<double>()[0], 0.6, 1e-6);
  EXPECT_NEAR(b.grad().ToVector<double>()[1], 0.8, 1e-6);
}

TEST(Clip, SmallGradientsKeepTheirBits) {
  const std::vector<double> values = {0.1, -0.3, 0.7};
  const Tensor a = WithGrad(FromVector(values, {3}));
  EXPECT_NEAR(ClipGradNorm({a}, 1), std::sqrt(0.59), 1e-15);
  EXPECT_EQ(a.grad().ToVector<double>(), values);
}

}  // namespace
}  // namespace lemma::optim
