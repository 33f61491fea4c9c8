// exp, log, erf, tanh, sigmoid and the normal distribution on vectors of floats. Compiled once for
// each target. All keep NaN. Largest errors over the whole range, measured against double by
// math_test.cc with fused multiply-adds (AVX2, AVX-512), in units of the result's last place:
//
//   ExpOf           1.1    denormal results included; inf above 88.72
//   ExpNonPositive  1.1    for x <= 0; 0 below -87.33
//   LogOf           1.0    denormal arguments included
//   ErfOf           2.0
//   TanhOf          2.5
//   SigmoidOf       3.0    down to results of 1e-37
//   NormalCdf       6.0    times x, as GELU uses it, down to results of 1e-34
//
// Without fused multiply-adds two units more, 70 in NormalCdf's tail.
//
// The polynomials are Chebyshev fits of the functions, made in 40 digits.

// clang-format off
#if defined(LEMMA_AUTOGRAD_KERNELS_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LEMMA_AUTOGRAD_KERNELS_SIMD_MATH_INL_H_
#undef LEMMA_AUTOGRAD_KERNELS_SIMD_MATH_INL_H_
#else
#define LEMMA_AUTOGRAD_KERNELS_SIMD_MATH_INL_H_
#endif
// clang-format on

#include <limits>

#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {

// min(x, limit) and max(x, limit), where NaN stays. x86's instructions give their second operand
// when one is NaN.
HWY_INLINE V32 AtMost(V32 x, float limit) {
  const V32 bound = hn::Set(F32(), limit);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::Min(bound, x);
#else
  return hn::IfThenElse(hn::Gt(x, bound), bound, x);
#endif
}
HWY_INLINE V32 AtLeast(V32 x, float limit) {
  const V32 bound = hn::Set(F32(), limit);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  return hn::Max(bound, x);
#else
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
#endif
}

// The polynomial with these coefficients, highest power first.
template <typename... Floats>
HWY_INLINE V32 Polynomial(V32 x, float highest, Floats... others) {
  const F32 f;
  V32 value = hn::Set(f, highest);
  ((value = hn::MulAdd(value, x, hn::Set(f, others))), ...);
  return value;
}

inline constexpr float kExpShift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number

// x = n log 2 + r with a whole n and |r| <= log(2) / 2. `power` has n in its low bits.
struct ExpParts {
  V32 power;  // n + kExpShift
  V32 value;  // e^r
};

HWY_INLINE ExpParts SplitExp(V32 x) {
  const F32 f;
  const V32 shift = hn::Set(f, kExpShift);
  const V32 power = hn::MulAdd(x, hn::Set(f, 1.44269504f), shift);
  const V32 n = hn::Sub(power, shift);
  V32 r = hn::NegMulAdd(n, hn::Set(f, 0.693145752f), x);
  r = hn::NegMulAdd(n, hn::Set(f, 1.42860677e-6f), r);
  V32 value =
      Polynomial(r, 1.392625083e-3f, 8.363232884e-3f, 4.166655421e-2f, 1.666657667e-1f, 0.5f);
  value = hn::MulAdd(hn::Mul(r, r), value, r);
  return {power, hn::Add(value, hn::Set(f, 1.0f))};
}

// e^x for x <= 0, as softmax needs it: 0 where the result would be denormal.
HWY_INLINE V32 ExpNonPositive(V32 x) {
  const F32 f;
  const ExpParts parts = SplitExp(x);
  const V32 low = hn::Set(f, -87.33654f);
#if HWY_TARGET == HWY_AVX3
  // One instruction multiplies by the power of 2; it exists in AVX-512 alone.
  const V32 n = hn::Sub(parts.power, hn::Set(f, kExpShift));
  const __mmask16 keep = _mm512_cmp_ps_mask(x.raw, low.raw, _CMP_NLT_UQ);
  return V32{_mm512_maskz_scalef_ps(keep, parts.value.raw, n.raw)};
#else
  const hn::RebindToSigned<F32> i;
  const auto bits = hn::ShiftLeft<23>(hn::BitCast(i, parts.power));
  const V32 scale = hn::BitCast(f, hn::Add(bits, hn::Set(i, 0x3f800000)));
  return hn::IfThenZeroElse(hn::Lt(x, low), hn::Mul(parts.value, scale));
#endif
}

// e^x for every x.
HWY_INLINE V32 ExpOf(V32 x) {
  const F32 f;
  const hn::RebindToSigned<F32> i;
  const V32 low = hn::Set(f, -104.0f), high = hn::Set(f, 88.7228394f);
  const auto below = hn::Lt(x, low), above = hn::Gt(x, high);
  const ExpParts parts = SplitExp(hn::IfThenElse(below, low, hn::IfThenElse(above, high, x)));
  const auto n = hn::Sub(hn::BitCast(i, parts.power), hn::Set(i, 0x4b400000));
  const auto half = hn::ShiftRight<1>(n);
  const auto bias = hn::Set(i, 127);
  const V32 scale0 = hn::BitCast(f, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const V32 scale1 = hn::BitCast(f, hn::ShiftLeft<23>(hn::Add(hn::Sub(n, half), bias)));
  const V32 value = hn::Mul(hn::Mul(parts.value, scale0), scale1);
  const V32 infinity = hn::Set(f, std::numeric_limits<float>::infinity());
  return hn::IfThenZeroElse(below, hn::IfThenElse(above, infinity, value));
}

HWY_INLINE V32 LogOf(V32 x) {
  const F32 f;
  const V32 infinity = hn::Set(f, std::numeric_limits<float>::infinity());
  V32 value = hn::Log(f, x);
  value = hn::IfThenElse(hn::Eq(x, infinity), infinity, value);
  value = hn::IfThenElse(hn::Eq(x, hn::Zero(f)), hn::Neg(infinity), value);
  const V32 nan = hn::Set(f, std::numeric_limits<float>::quiet_NaN());
  return hn::IfThenElse(hn::Ge(x, hn::Zero(f)), value, nan);
}

// With e = exp(-2 |x|): tanh |x| = (1 - e) / (1 + e), and a polynomial where that cancels.
HWY_INLINE V32 TanhOf(V32 x) {
  const F32 f;
  const V32 one = hn::Set(f, 1.0f);
  const V32 magnitude = hn::Abs(x);
  const V32 e = ExpNonPositive(hn::Mul(magnitude, hn::Set(f, -2.0f)));
  const V32 large = hn::Div(hn::Sub(one, e), hn::Add(one, e));
  const V32 z = hn::Mul(x, x);
  const V32 series = Polynomial(z, -6.096714166e-3f, 2.0997179e-2f, -5.385090958e-2f,
                                1.333276974e-1f, -3.333332894e-1f);
  const V32 small = hn::MulAdd(hn::Mul(magnitude, z), series, magnitude);
  const auto is_small = hn::Lt(magnitude, hn::Set(f, 0.625f));
  return hn::CopySign(hn::IfThenElse(is_small, small, large), x);
}

// 1 / x for normal x. In AVX-512 an estimate of 14 bits and a step of Newton's, which take half the
// time of a division; the estimate is the same on every processor.
HWY_INLINE V32 InverseOf(V32 x) {
#if HWY_TARGET == HWY_AVX3
  const V32 estimate{_mm512_rcp14_ps(x.raw)};
  return hn::MulAdd(hn::NegMulAdd(x, estimate, hn::Set(F32(), 1.0f)), estimate, estimate);
#else
  return hn::Div(hn::Set(F32(), 1.0f), x);
#endif
}

HWY_INLINE V32 SigmoidOf(V32 x) {
  const F32 f;
  const V32 one = hn::Set(f, 1.0f);
  const V32 e = ExpNonPositive(hn::Neg(hn::Abs(x)));
  const V32 numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(f)), e, one);
  return hn::Mul(numerator, InverseOf(hn::Add(one, e)));
}

struct Normal {
  V32 cdf;    // Phi(x)
  V32 power;  // exp(-x^2 / 2), sqrt(2 pi) times the density
};

// Phi(-|x|) = exp(-x^2 / 2) * t * p(t) with t = 1 / (1 + 0.3 |x|). The part of x^2 / 2 that its
// rounding loses is put back, for it would be multiplied in the exponential.
HWY_INLINE Normal NormalCdf(V32 x) {
  const F32 f;
  const V32 one = hn::Set(f, 1.0f);
  const V32 magnitude = AtMost(hn::Abs(x), 14.0f);
  const V32 half = hn::Mul(magnitude, hn::Set(f, 0.5f));
  const V32 square = hn::Mul(half, magnitude);
  const V32 lost = hn::MulSub(half, magnitude, square);
  V32 power = ExpNonPositive(hn::Neg(square));
  power = hn::NegMulAdd(power, lost, power);
  const V32 t = InverseOf(hn::MulAdd(magnitude, hn::Set(f, 0.3f), one));
  const V32 series = Polynomial(t, -2.091435973e-2f, 1.140402721e-1f, -2.320384829e-1f,
                                1.96940677e-1f, -8.374254902e-2f, 9.848074018e-2f, 7.758906438e-2f,
                                1.104051798e-1f, 1.195517632e-1f, 1.196876931e-1f);
  const V32 tail = hn::Mul(hn::Mul(series, t), power);
  const V32 cdf = hn::IfThenElse(hn::Lt(x, hn::Zero(f)), tail, hn::Sub(one, tail));
  return {cdf, power};
}

HWY_INLINE V32 ErfOf(V32 x) {
  const F32 f;
  const V32 magnitude = hn::Abs(x);
  const V32 z = hn::Mul(x, x);
  const V32 series =
      Polynomial(z, 8.387591046e-5f, -8.147202093e-4f, 5.201466869e-3f, -2.685959231e-2f,
                 1.128369943e-1f, -3.761263403e-1f, 1.28379167e-1f);
  const V32 small = hn::MulAdd(magnitude, series, magnitude);
  const Normal normal = NormalCdf(hn::Mul(magnitude, hn::Set(f, 1.41421356f)));
  const V32 large = hn::MulSub(hn::Set(f, 2.0f), normal.cdf, hn::Set(f, 1.0f));
  const auto is_small = hn::Lt(magnitude, hn::Set(f, 0.921875f));
  return hn::CopySign(hn::IfThenElse(is_small, small, large), x);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_MATH_INL_H_
