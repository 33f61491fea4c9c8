#include "autograd/ops/cached_attention.h"

#include <limits>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(CachedAttention, HasTheBitsOfTheWholeSequence) {
  Generator generator(3);
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBFloat16}) {
    const Tensor qkv = Cast(RandN({2, 70, 36}, generator), dtype);  // 3 heads of width 4
    const Tensor whole = PackedAttention(qkv, 3, {.causal = true});
    Tensor keys = Full({2, 3, 4, 80}, kNaN, dtype), values = Full({2, 3, 70, 4}, kNaN, dtype);
    const NoGrad no_grad;
    int64_t length = 0;
    for (const int64_t t : {1, 64, 1, 3, 1}) {
      const Tensor part =
          CachedAttention(Slice(qkv, 1, length, length + t), 3, keys, values, length);
      const Tensor expected = Slice(whole, 1, length, length + t);
      EXPECT_EQ(Cast(part, DType::kFloat64).ToVector<double>(),
                Cast(expected, DType::kFloat64).ToVector<double>())
          << Name(dtype) << " " << length << " + " << t;
      length += t;
    }
  }
}

TEST(CachedAttention, SaysWhatIsWrong) {
  Tensor keys = Zeros({1, 2, 3, 16}), values = Zeros({1, 2, 4, 3}), other = Zeros({1, 2, 4, 2});
  const auto error = [&](const Tensor& qkv, int64_t heads, Tensor& k, Tensor& v, int64_t length) {
    return ErrorOf([&] { CachedAttention(qkv, heads, k, v, length); });
  };
  EXPECT_EQ(error(Zeros({1, 2, 18}), 2, keys, values, 3),
            "[cached_attention] values: there is room for 4 positions; 3 are held and 2 more were "
            "given");
  EXPECT_THAT(error(Zeros({1, 2, 17}), 2, keys, values, 0), HasSubstr("heads: "));
  EXPECT_THAT(error(Zeros({1, 2, 18}), 2, other, values, 0), HasSubstr("keys: "));
  EXPECT_THAT(error(Zeros({1, 2, 18}), 2, keys, other, 0), HasSubstr("values: "));
  EXPECT_THAT(error(Zeros({1, 2, 18}).SetRequiresGrad(true), 2, keys, values, 0),
              HasSubstr("put it under NoGrad"));
}

}  // namespace
}  // namespace lemma
