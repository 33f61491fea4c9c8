#include "autograd/kernels/simd/unary.h"

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/unary.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/math-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

HWY_INLINE V32 Silu(V32 x) { return hn::Mul(x, SigmoidOf(x)); }

// NaN is neither above nor below 0 and stays.
HWY_INLINE V32 Relu(V32 x) {
  const V32 zero = hn::Zero(F32());
  return hn::IfThenElse(hn::Le(x, zero), zero, x);
}

HWY_INLINE V32 TanhDerivative(V32 y) { return hn::NegMulAdd(y, y, hn::Set(F32(), 1.0f)); }

HWY_INLINE V32 SigmoidDerivative(V32 y) { return hn::Mul(y, hn::Sub(hn::Set(F32(), 1.0f), y)); }

HWY_INLINE V32 ErfDerivative(V32 x) {
  const V32 power = ExpNonPositive(hn::Neg(hn::Mul(x, x)));
  return hn::Mul(hn::Set(F32(), 1.12837917f), power);
}

HWY_INLINE V32 SiluDerivative(V32 x) {
  const V32 one = hn::Set(F32(), 1.0f);
  const V32 s = SigmoidOf(x);
  return hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one));
}

template <typename Fn>
HWY_INLINE void Map(int64_t n, const float* x, float* y, const Fn& fn) {
  ForVectors(0, n,
             [&](int64_t i, auto access) HWY_ATTR { access.Store(fn(access.Load(x + i)), y + i); });
}

template <typename Fn>
HWY_INLINE void MapBackward(int64_t n, const float* saved, const float* dy, float* dx,
                            bool accumulate, const Fn& fn) {
  ForVectors(0, n, [&](int64_t i, auto access) HWY_ATTR {
    const V32 derivative = fn(access.Load(saved + i));
    const V32 dy_i = access.Load(dy + i);
    access.Store(
        accumulate ? hn::MulAdd(dy_i, derivative, access.Load(dx + i)) : hn::Mul(dy_i, derivative),
        dx + i);
  });
}

void Forward(UnaryFunction function, int64_t n, const float* x, float* y) {
  switch (function) {
    case UnaryFunction::kExp:
      return Map(n, x, y, [](V32 v) HWY_ATTR { return ExpOf(v); });
    case UnaryFunction::kLog:
      return Map(n, x, y, [](V32 v) HWY_ATTR { return LogOf(v); });
    case UnaryFunction::kTanh:
      return Map(n, x, y, [](V32 v) HWY_ATTR { return TanhOf(v); });
    case UnaryFunction::kSigmoid:
      return Map(n, x, y, [](V32 v) HWY_ATTR { return SigmoidOf(v); });
    case UnaryFunction::kErf:
      return Map(n, x, y, [](V32 v) HWY_ATTR { return ErfOf(v); });
    case UnaryFunction::kSilu:
      return Map(n, x, y, [](V32 v) HWY_ATTR { return Silu(v); });
    case UnaryFunction::kRelu:
      return Map(n, x, y, [](V32 v) HWY_ATTR { return Relu(v); });
  }
}

void Backward(UnaryFunction function, int64_t n, const float* saved, const float* dy, float* dx,
              bool accumulate) {
  const auto run = [&](auto derivative)
                       HWY_ATTR { MapBackward(n, saved, dy, dx, accumulate, derivative); };
  switch (function) {
    case UnaryFunction::kExp:
      return run([](V32 v) HWY_ATTR { return v; });
    case UnaryFunction::kLog:
      return run([](V32 v) HWY_ATTR { return hn::Div(hn::Set(F32(), 1.0f), v); });
    case UnaryFunction::kTanh:
      return run([](V32 v) HWY_ATTR { return TanhDerivative(v); });
    case UnaryFunction::kSigmoid:
      return run([](V32 v) HWY_ATTR { return SigmoidDerivative(v); });
    case UnaryFunction::kErf:
      return run([](V32 v) HWY_ATTR { return ErfDerivative(v); });
    case UnaryFunction::kSilu:
      return run([](V32 v) HWY_ATTR { return SiluDerivative(v); });
    case UnaryFunction::kRelu:
      return run([](V32 v) HWY_ATTR {
        return hn::IfThenElseZero(hn::Gt(v, hn::Zero(F32())), hn::Set(F32(), 1.0f));
      });
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

void UnaryForward(UnaryFunction function, int64_t n, const float* x, float* y) {
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Forward)(function, end - begin, x + begin, y + begin);
  });
}

void UnaryBackward(UnaryFunction function, int64_t n, const float* x, const float* y,
                   const float* dy, float* dx, bool accumulate) {
  const float* saved = NeedsInput(function) ? x : y;
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Backward)
    (function, end - begin, saved + begin, dy + begin, dx + begin, accumulate);
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
