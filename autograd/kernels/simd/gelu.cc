#include "autograd/kernels/simd/gelu.h"

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/gelu.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/math-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

constexpr float kSqrt2OverPi = 0.797884561f;
constexpr float kCubic = 0.044715f;

// Where the tails are flat x is bounded: an infinite x times a probability of 0 would be NaN.
HWY_INLINE V32 Within(V32 x, float limit) { return AtMost(AtLeast(x, -limit), limit); }

HWY_INLINE V32 ExactValue(V32 x) { return hn::Mul(AtLeast(x, -14.0f), NormalCdf(x).cdf); }

HWY_INLINE V32 ExactDerivative(V32 x) {
  const Normal normal = NormalCdf(x);
  const V32 density = hn::Mul(normal.power, hn::Set(F32(), 0.398942280f));
  return hn::MulAdd(Within(x, 14.0f), density, normal.cdf);
}

// tanh(u) of the tanh form, u = sqrt(2 / pi) * (x + 0.044715 x^3), from which (1 + tanh u) / 2 is
// sigmoid(2 u).
HWY_INLINE V32 TwiceU(V32 x) {
  const F32 f;
  const V32 bounded = Within(x, 12.0f);
  const V32 factor = hn::MulAdd(hn::Mul(bounded, bounded), hn::Set(f, 2 * kSqrt2OverPi * kCubic),
                                hn::Set(f, 2 * kSqrt2OverPi));
  return hn::Mul(bounded, factor);
}

HWY_INLINE V32 TanhFormValue(V32 x) { return hn::Mul(AtLeast(x, -12.0f), SigmoidOf(TwiceU(x))); }

// s + x * s * (1 - s) * d(2u)/dx with s = sigmoid(2u).
HWY_INLINE V32 TanhFormDerivative(V32 x) {
  const F32 f;
  const V32 s = SigmoidOf(TwiceU(x));
  const V32 bounded = Within(x, 12.0f);
  const V32 slope = hn::MulAdd(hn::Mul(bounded, bounded), hn::Set(f, 6 * kSqrt2OverPi * kCubic),
                               hn::Set(f, 2 * kSqrt2OverPi));
  const V32 spread = hn::Mul(s, hn::Sub(hn::Set(f, 1.0f), s));
  return hn::MulAdd(hn::Mul(bounded, slope), spread, s);
}

template <typename Fn>
HWY_INLINE void Map(int64_t n, const float* x, float* y, const Fn& fn) {
  ForVectors(0, n,
             [&](int64_t i, auto access) HWY_ATTR { access.Store(fn(access.Load(x + i)), y + i); });
}

template <bool kAccumulate, typename Fn>
HWY_INLINE void MapBackward(int64_t n, const float* x, const float* dy, float* dx, const Fn& fn) {
  ForVectors(0, n, [&](int64_t i, auto access) HWY_ATTR {
    const V32 derivative = fn(access.Load(x + i));
    const V32 dy_i = access.Load(dy + i);
    if constexpr (kAccumulate) {
      access.Store(hn::MulAdd(dy_i, derivative, access.Load(dx + i)), dx + i);
    } else {
      access.Store(hn::Mul(dy_i, derivative), dx + i);
    }
  });
}

void Forward(int64_t n, const float* x, float* y, GeluForm form) {
  if (form == GeluForm::kExact) {
    Map(n, x, y, [](V32 v) HWY_ATTR { return ExactValue(v); });
  } else {
    Map(n, x, y, [](V32 v) HWY_ATTR { return TanhFormValue(v); });
  }
}

template <bool kAccumulate>
void BackwardOf(int64_t n, const float* x, const float* dy, float* dx, GeluForm form) {
  if (form == GeluForm::kExact) {
    MapBackward<kAccumulate>(n, x, dy, dx, [](V32 v) HWY_ATTR { return ExactDerivative(v); });
  } else {
    MapBackward<kAccumulate>(n, x, dy, dx, [](V32 v) HWY_ATTR { return TanhFormDerivative(v); });
  }
}

void Backward(int64_t n, const float* x, const float* dy, float* dx, GeluForm form,
              bool accumulate) {
  if (accumulate) {
    BackwardOf<true>(n, x, dy, dx, form);
  } else {
    BackwardOf<false>(n, x, dy, dx, form);
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

constexpr int64_t kGrain = 8192;

}  // namespace

void GeluForward(int64_t n, const float* x, float* y, GeluForm form) {
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Forward)(end - begin, x + begin, y + begin, form);
  });
}

void GeluBackward(int64_t n, const float* x, const float* dy, float* dx, GeluForm form,
                  bool accumulate) {
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Backward)
    (end - begin, x + begin, dy + begin, dx + begin, form, accumulate);
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
