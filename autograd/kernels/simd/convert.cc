#include "autograd/kernels/simd/convert.h"

#include <bit>
#include <cstdint>

#include "autograd/dtype.h"
#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/convert.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

using U32 = hn::Repartition<uint32_t, F32>;
using I32 = hn::Repartition<int32_t, F32>;
using U16 = hn::Rebind<uint16_t, F32>;

// As BFloat16's constructor: half an ulp is added, less a little where the last bit is even.
void ToBFloat16(int64_t n, const float* x, uint16_t* y) {
  const F32 f;
  const U32 u;
  const auto one = hn::Set(u, 1), half = hn::Set(u, 0x7fff), quiet = hn::Set(u, 0x40);
  const auto magnitude_bits = hn::Set(u, 0x7fffffff);
  const auto infinity = hn::Set(I32(), 0x7f800000);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto word = hn::BitCast(u, hn::LoadU(f, x + i));
    const auto upper = hn::ShiftRight<16>(word);
    const auto rounded = hn::ShiftRight<16>(hn::Add(word, hn::Add(half, hn::And(upper, one))));
    const auto magnitude = hn::BitCast(I32(), hn::And(word, magnitude_bits));
    const auto is_nan = hn::RebindMask(u, hn::Gt(magnitude, infinity));
    const auto bits = hn::IfThenElse(is_nan, hn::Or(upper, quiet), rounded);
    hn::StoreU(hn::DemoteTo(U16(), hn::BitCast(I32(), bits)), U16(), y + i);
  }
  for (; i < n; ++i) y[i] = BFloat16(x[i]).bits;
}

void ToFloat(int64_t n, const uint16_t* x, float* y) {
  const F32 f;
  const U32 u;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const auto bits = hn::PromoteTo(u, hn::LoadU(U16(), x + i));
    hn::StoreU(hn::BitCast(f, hn::ShiftLeft<16>(bits)), f, y + i);
  }
  for (; i < n; ++i) y[i] = std::bit_cast<float>(static_cast<uint32_t>(x[i]) << 16);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(ToBFloat16);
HWY_EXPORT(ToFloat);

constexpr int64_t kGrain = 32768;  // elements

}  // namespace

void Convert(int64_t n, const float* x, BFloat16* y) {
  auto* bits = reinterpret_cast<uint16_t*>(y);
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ToBFloat16)(end - begin, x + begin, bits + begin);
  });
}

void Convert(int64_t n, const BFloat16* x, float* y) {
  const auto* bits = reinterpret_cast<const uint16_t*>(x);
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ToFloat)(end - begin, bits + begin, y + begin);
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
