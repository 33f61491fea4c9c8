#include "autograd/ops/maximum.h"

#include <limits>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Maximum, PicksTheLargerAndKeepsNaN) {
  const Tensor a = FromValues<double>({1, 5, kNaN, 0});
  const Tensor b = FromValues<double>({2, 4, 0, kNaN});
  EXPECT_THAT(Maximum(a, b).ToVector<double>(), ElementsAre(2, 5, IsNan(), IsNan()));
  EXPECT_THAT(Minimum(a, b).ToVector<double>(), ElementsAre(1, 4, IsNan(), IsNan()));
  EXPECT_THAT(Maximum(a, 3).ToVector<double>(), ElementsAre(3, 5, IsNan(), 3));
  EXPECT_THAT(Minimum(a, 3).ToVector<double>(), ElementsAre(1, 3, IsNan(), 0));
  EXPECT_THAT(Maximum(FromValues<int64_t>({1, 7}), 3).ToVector<int64_t>(), ElementsAre(3, 7));
}

TEST(Maximum, TheGradientGoesToTheWinnerAndIsHalvedInATie) {
  Tensor a = FromValues<double>({1, 5, 2}).SetRequiresGrad(true);
  Tensor b = FromValues<double>({3, 4, 2}).SetRequiresGrad(true);
  const Tensor dy = FromValues<double>({1, 10, 100});
  auto d = Grad({Maximum(a, b)}, {a, b}, {.grad_outputs = {dy}});
  EXPECT_THAT(d[0].ToVector<double>(), ElementsAre(0, 10, 50));
  EXPECT_THAT(d[1].ToVector<double>(), ElementsAre(1, 0, 50));
  d = Grad({Minimum(a, b)}, {a, b}, {.grad_outputs = {dy}});
  EXPECT_THAT(d[0].ToVector<double>(), ElementsAre(1, 0, 50));
  EXPECT_THAT(d[1].ToVector<double>(), ElementsAre(0, 10, 50));
  EXPECT_THAT(Grad({Maximum(a, 2)}, {a}, {.grad_outputs = {dy}})[0].ToVector<double>(),
              ElementsAre(0, 10, 50));
  EXPECT_THAT(Grad({Minimum(a, 2)}, {a}, {.grad_outputs = {dy}})[0].ToVector<double>(),
              ElementsAre(1, 0, 50));
}

}  // namespace
}  // namespace lemma
