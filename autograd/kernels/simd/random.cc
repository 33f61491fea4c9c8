// Blocks are of 8 + 8 numbers, so vectors of 8 lanes are enough: of the x86 targets only AVX2 is
// compiled beside the baseline.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)

#include "autograd/kernels/simd/random.h"

#include "autograd/kernels/reference/random.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/random.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::CappedTag<float, 8>;
using I = hn::RebindToSigned<F>;
using V = hn::Vec<F>;

V Log(F f, V x) {
  const I i;
  const V one = hn::Set(f, 1.0f);
  x = hn::Max(x, hn::Set(f, 1.17549435e-38f));
  const auto bits = hn::BitCast(i, x);
  V e = hn::ConvertTo(f, hn::Sub(hn::ShiftRight<23>(bits), hn::Set(i, 126)));
  const V m = hn::BitCast(f, hn::Or(hn::And(bits, hn::Set(i, 0x007fffff)), hn::Set(i, 0x3f000000)));
  const auto small = hn::Lt(m, hn::Set(f, 0.707106781186547524f));
  e = hn::Sub(e, hn::IfThenElseZero(small, one));
  x = hn::Add(hn::Sub(m, one), hn::IfThenElseZero(small, m));
  const V z = hn::Mul(x, x);
  V y = hn::Set(f, 7.0376836292e-2f);
  y = hn::MulAdd(y, x, hn::Set(f, -1.1514610310e-1f));
  y = hn::MulAdd(y, x, hn::Set(f, 1.1676998740e-1f));
  y = hn::MulAdd(y, x, hn::Set(f, -1.2420140846e-1f));
  y = hn::MulAdd(y, x, hn::Set(f, 1.4249322787e-1f));
  y = hn::MulAdd(y, x, hn::Set(f, -1.6668057665e-1f));
  y = hn::MulAdd(y, x, hn::Set(f, 2.0000714765e-1f));
  y = hn::MulAdd(y, x, hn::Set(f, -2.4999993993e-1f));
  y = hn::MulAdd(y, x, hn::Set(f, 3.3333331174e-1f));
  y = hn::Mul(y, x);
  y = hn::MulAdd(y, z, hn::Mul(e, hn::Set(f, -2.12194440e-4f)));
  y = hn::NegMulAdd(z, hn::Set(f, 0.5f), y);
  x = hn::Add(x, y);
  return hn::MulAdd(e, hn::Set(f, 0.693359375f), x);
}

void SinCos(F f, V x, V& sin, V& cos) {
  const I i;
  auto j = hn::ConvertTo(i, hn::Mul(x, hn::Set(f, 1.27323954473516f)));
  j = hn::And(hn::Add(j, hn::Set(i, 1)), hn::Set(i, ~1));
  const V y = hn::ConvertTo(f, j);
  x = hn::MulAdd(y, hn::Set(f, -0.78515625f), x);
  x = hn::MulAdd(y, hn::Set(f, -2.4187564849853515625e-4f), x);
  x = hn::MulAdd(y, hn::Set(f, -3.77489497744594108e-8f), x);
  const V z = hn::Mul(x, x);

  V c = hn::Set(f, 2.443315711809948e-5f);
  c = hn::MulAdd(c, z, hn::Set(f, -1.388731625493765e-3f));
  c = hn::MulAdd(c, z, hn::Set(f, 4.166664568298827e-2f));
  c = hn::Mul(c, z);
  c = hn::MulSub(c, z, hn::Mul(z, hn::Set(f, 0.5f)));
  c = hn::Add(c, hn::Set(f, 1.0f));

  V s = hn::Set(f, -1.9515295891e-4f);
  s = hn::MulAdd(s, z, hn::Set(f, 8.3321608736e-3f));
  s = hn::MulAdd(s, z, hn::Set(f, -1.6666654611e-1f));
  s = hn::Mul(s, z);
  s = hn::MulAdd(s, x, x);

  // Bit 1 of j swaps the two; bit 2 of j and of j - 2, moved to bit 31, are their signs.
  const auto two = hn::Set(i, 2);
  const auto swap = hn::RebindMask(f, hn::Eq(hn::And(j, two), two));
  const auto four = hn::Set(i, 4);
  const auto sin_sign = hn::ShiftLeft<29>(hn::And(j, four));
  const auto cos_sign = hn::ShiftLeft<29>(hn::AndNot(hn::Sub(j, two), four));
  sin = hn::Xor(hn::IfThenElse(swap, c, s), hn::BitCast(f, sin_sign));
  cos = hn::Xor(hn::IfThenElse(swap, s, c), hn::BitCast(f, cos_sign));
}

void BoxMuller(float* data, size_t blocks, float mean, float std) {
  const F f;
  const V mean_v = hn::Set(f, mean);
  const V std_v = hn::Set(f, std);
  for (float* d = data; d != data + 16 * blocks; d += 16) {
    for (size_t j = 0; j < 8; j += hn::Lanes(f)) {
      const V u1 = hn::Sub(hn::Set(f, 1.0f), hn::LoadU(f, d + j));
      const V radius = hn::Sqrt(hn::Mul(hn::Set(f, -2.0f), Log(f, u1)));
      V sin, cos;
      SinCos(f, hn::Mul(hn::Set(f, 6.28318530717958648f), hn::LoadU(f, d + j + 8)), sin, cos);
      hn::StoreU(hn::MulAdd(hn::Mul(radius, cos), std_v, mean_v), f, d + j);
      hn::StoreU(hn::MulAdd(hn::Mul(radius, sin), std_v, mean_v), f, d + j + 8);
    }
  }
}

void Uniform(const uint32_t* words, size_t count, float low, float high, float* out) {
  const F f;
  const I i;
  const V range = hn::Set(f, high - low);
  const V low_v = hn::Set(f, low);
  const size_t lanes = hn::Lanes(f);
  size_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const auto word = hn::BitCast(i, hn::LoadU(hn::RebindToUnsigned<F>(), words + k));
    const V u =
        hn::Mul(hn::ConvertTo(f, hn::And(word, hn::Set(i, 0xffffff))), hn::Set(f, 0x1p-24f));
    hn::StoreU(hn::MulAdd(u, range, low_v), f, out + k);
  }
  reference::Uniform(words + k, count - k, low, high, out + k);
}

#else

void BoxMuller(float* data, size_t blocks, float mean, float std) {
  reference::BoxMuller(data, blocks, mean, std);
}

void Uniform(const uint32_t* words, size_t count, float low, float high, float* out) {
  reference::Uniform(words, count, low, high, out);
}

#endif  // HWY_NATIVE_FMA

}  // namespace
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {

HWY_EXPORT(BoxMuller);
HWY_EXPORT(Uniform);

void BoxMuller(float* data, size_t blocks, float mean, float std) {
  HWY_DYNAMIC_DISPATCH(BoxMuller)(data, blocks, mean, std);
}

void Uniform(const uint32_t* words, size_t count, float low, float high, float* out) {
  HWY_DYNAMIC_DISPATCH(Uniform)(words, count, low, high, out);
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
