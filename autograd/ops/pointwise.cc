#include "autograd/ops/pointwise.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "autograd/dtype.h"
#include "autograd/node.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/loops.h"

namespace lemma {
namespace {

void FloatShape(OpCall& call) {
  CheckFloat(call.name(), "x", call.in(0));
  call.AddOutput(call.in(0).shape(), call.in(0).dtype());
}

void NumberShape(OpCall& call) {
  CheckNumber(call.name(), "x", call.in(0));
  call.AddOutput(call.in(0).shape(), call.in(0).dtype());
}

template <typename Fn>
void FloatForward(OpCall& call, Fn fn) {
  VisitFloat(call.in(0).dtype(),
             [&]<typename T>() { UnaryLoop<T, T>(call.in(0), fn, call.OutputOver(0, 0)); });
}

template <typename Fn>
void NumberForward(OpCall& call, Fn fn) {
  VisitDType(call.in(0).dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      UnaryLoop<T, T>(call.in(0), fn, call.OutputOver(0, 0));
    }
  });
}

}  // namespace

Tensor Log1p(Tensor x) { return Call(kLog1p, {}, std::move(x)); }

namespace {

void Log1pForward(OpCall& call) {
  call.SaveInput(0);
  FloatForward(call, [](auto x) { return std::log1p(x); });
}

// y = log(1 + x), dx = dy / (1 + x)
void Log1pVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, call.dout(0) / (call.in(0) + 1));
}

}  // namespace

const OpDef kLog1p = {
    .name = "log1p", .shape = FloatShape, .forward = Log1pForward, .vjp = Log1pVjp};

Tensor Sqrt(Tensor x) { return Call(kSqrt, {}, std::move(x)); }

namespace {

void SqrtForward(OpCall& call) {
  FloatForward(call, [](auto x) { return std::sqrt(x); });
  call.SaveOutput(0);
}

// y = sqrt(x), dx = dy / (2 y)
void SqrtVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, call.dout(0) / (call.out(0) * 2));
}

}  // namespace

const OpDef kSqrt = {.name = "sqrt", .shape = FloatShape, .forward = SqrtForward, .vjp = SqrtVjp};

Tensor Rsqrt(Tensor x) { return Call(kRsqrt, {}, std::move(x)); }

namespace {

void RsqrtForward(OpCall& call) {
  FloatForward(call, [](auto x) { return decltype(x){1} / std::sqrt(x); });
  call.SaveOutput(0);
}

// y = x^(-1/2), dx = -dy y^3 / 2
void RsqrtVjp(const VjpCall& call, GradSink& grads) {
  const Tensor y = call.out(0);
  grads.Add(0, call.dout(0) * (y * y * y) * -0.5);
}

}  // namespace

const OpDef kRsqrt = {
    .name = "rsqrt", .shape = FloatShape, .forward = RsqrtForward, .vjp = RsqrtVjp};

Tensor Sin(Tensor x) { return Call(kSin, {}, std::move(x)); }
Tensor Cos(Tensor x) { return Call(kCos, {}, std::move(x)); }

namespace {

void SinForward(OpCall& call) {
  call.SaveInput(0);
  FloatForward(call, [](auto x) { return std::sin(x); });
}

// y = sin(x), dx = dy cos(x)
void SinVjp(const VjpCall& call, GradSink& grads) { grads.Add(0, call.dout(0) * Cos(call.in(0))); }

void CosForward(OpCall& call) {
  call.SaveInput(0);
  FloatForward(call, [](auto x) { return std::cos(x); });
}

// y = cos(x), dx = -dy sin(x)
void CosVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, -(call.dout(0) * Sin(call.in(0))));
}

}  // namespace

const OpDef kSin = {.name = "sin", .shape = FloatShape, .forward = SinForward, .vjp = SinVjp};
const OpDef kCos = {.name = "cos", .shape = FloatShape, .forward = CosForward, .vjp = CosVjp};

Tensor Abs(Tensor x) { return Call(kAbs, {}, std::move(x)); }
Tensor Sign(Tensor x) { return Call(kSign, {}, std::move(x)); }

namespace {

// The smallest integer has no opposite and stays, as in PyTorch.
void AbsForward(OpCall& call) {
  call.SaveInput(0);
  NumberForward(call, [](auto x) {
    using A = decltype(x);
    if constexpr (std::is_integral_v<A>) {
      return x < 0 && x != std::numeric_limits<A>::min() ? -x : x;
    } else {
      return std::fabs(x);
    }
  });
}

// y = |x|, dx = dy sign(x)
void AbsVjp(const VjpCall& call, GradSink& grads) { grads.Add(0, call.dout(0) * Sign(call.in(0))); }

void SignForward(OpCall& call) {
  NumberForward(call, [](auto x) {
    using A = decltype(x);
    return static_cast<A>(static_cast<A>(x > 0) - static_cast<A>(x < 0));
  });
}

}  // namespace

const OpDef kAbs = {.name = "abs", .shape = NumberShape, .forward = AbsForward, .vjp = AbsVjp};
const OpDef kSign = {.name = "sign", .shape = NumberShape, .forward = SignForward};

Tensor Square(Tensor x) {
  Tensor same = x;
  return Mul(std::move(x), std::move(same));
}

Tensor Reciprocal(Tensor x) { return Div(1, std::move(x)); }

namespace {

struct ClampAttributes {
  std::optional<double> min, max;
};

}  // namespace

Tensor Clamp(Tensor x, std::optional<double> min, std::optional<double> max) {
  return Call(kClamp, ClampAttributes{min, max}, std::move(x));
}

namespace {

void ClampShape(OpCall& call) {
  NumberShape(call);
  const auto& [min, max] = call.attributes<ClampAttributes>();
  if (min) CheckScalar(call.name(), "min", *min, call.in(0).dtype());
  if (max) CheckScalar(call.name(), "max", *max, call.in(0).dtype());
}

void ClampForward(OpCall& call) {
  call.SaveInput(0);
  const auto& limits = call.attributes<ClampAttributes>();
  VisitDType(call.in(0).dtype(), [&]<typename T>() {
    using A = Accumulator<T>;
    using Limits = std::numeric_limits<A>;
    const A lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const A highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
    const A low = limits.min ? static_cast<A>(*limits.min) : lowest;
    const A high = limits.max ? static_cast<A>(*limits.max) : highest;
    // The comparisons let NaN through.
    UnaryLoop<T, T>(
        call.in(0),
        [low, high](A x) {
          const A raised = x < low ? low : x;
          return raised > high ? high : raised;
        },
        call.OutputOver(0, 0));
  });
}

// dx = dy where min < x < max, else 0
void ClampVjp(const VjpCall& call, GradSink& grads) {
  const auto& [min, max] = call.attributes<ClampAttributes>();
  const Tensor x = call.in(0);
  Tensor dx = call.dout(0);
  if (min) dx = Where(Greater(x, *min), std::move(dx), 0.0);
  if (max) dx = Where(Less(x, *max), std::move(dx), 0.0);
  grads.Add(0, std::move(dx));
}

}  // namespace

const OpDef kClamp = {
    .name = "clamp", .shape = ClampShape, .forward = ClampForward, .vjp = ClampVjp};

}  // namespace lemma
