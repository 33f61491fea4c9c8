#include "autograd/ops/arithmetic.h"

#include <cstdint>
#include <type_traits>
#include <utility>

#include "autograd/dtype.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/node.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/loops.h"

namespace lemma {
namespace {

// fn(a, b), where signed integers wrap around instead of overflowing.
template <typename A, typename Fn>
A Wrapping(Fn fn, A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    using U = std::make_unsigned_t<A>;
    return static_cast<A>(fn(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return fn(a, b);
  }
}

template <typename Fn>
void NumberForward(OpCall& call, Fn fn) {
  VisitDType(TypedInput(call).dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      BinaryForwardAs<T, T>(
          call, [fn](Accumulator<T> a, Accumulator<T> b) { return Wrapping(fn, a, b); });
    }
  });
}

void NumberShape(OpCall& call) {
  CheckNumber(call.name(), &TypedInput(call) == &call.in(0) ? "a" : "b", TypedInput(call));
  BinaryShape(call);
}

// dy times operand i of the call.
Tensor TimesOperand(const VjpCall& call, const Tensor& dy, int i) {
  const BinaryAttributes& attributes = call.attributes<BinaryAttributes>();
  return attributes.number_at == i ? dy * attributes.number : dy * call.in(i);
}

}  // namespace

Tensor Add(Tensor a, Tensor b) { return CallBinary(kAdd, std::move(a), std::move(b)); }
Tensor Add(Tensor a, double b) { return CallBinary(kAdd, std::move(a), b); }

namespace {

void AddForward(OpCall& call) {
  const Tensor& a = call.in(0);
  const Tensor& b = call.in(1);
  if (a.defined() && b.defined() && a.dtype() == DType::kFloat32 && a.IsContiguous() &&
      b.IsContiguous() && a.shape() == b.shape()) {
    const float* left = a.data<float>();
    const float* right = b.data<float>();
    Tensor& y = BinaryOutput(call);
    kernels::AddArrays<float>(y.numel(), left, right, y.mutable_data<float>());
    return;
  }
  NumberForward(call, [](auto a, auto b) { return a + b; });
}

// y = a + b, da = db = dy
void AddVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, call.dout(0));
  grads.Add(1, call.dout(0));
}

}  // namespace

const OpDef kAdd = {.name = "add", .shape = NumberShape, .forward = AddForward, .vjp = AddVjp};

Tensor Sub(Tensor a, Tensor b) { return CallBinary(kSub, std::move(a), std::move(b)); }
Tensor Sub(Tensor a, double b) { return CallBinary(kSub, std::move(a), b); }
Tensor Sub(double a, Tensor b) { return CallBinary(kSub, a, std::move(b)); }

namespace {

void SubForward(OpCall& call) {
  NumberForward(call, [](auto a, auto b) { return a - b; });
}

// y = a - b, da = dy, db = -dy
void SubVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, call.dout(0));
  if (grads.Needs(1)) grads.Add(1, -call.dout(0));
}

}  // namespace

const OpDef kSub = {.name = "sub", .shape = NumberShape, .forward = SubForward, .vjp = SubVjp};

Tensor Mul(Tensor a, Tensor b) { return CallBinary(kMul, std::move(a), std::move(b)); }
Tensor Mul(Tensor a, double b) { return CallBinary(kMul, std::move(a), b); }

namespace {

void MulForward(OpCall& call) {
  if (call.NeedsGrad(0)) call.SaveInput(1);
  if (call.NeedsGrad(1)) call.SaveInput(0);
  NumberForward(call, [](auto a, auto b) { return a * b; });
}

// y = a b, da = dy b, db = dy a
void MulVjp(const VjpCall& call, GradSink& grads) {
  if (grads.Needs(0)) grads.Add(0, TimesOperand(call, call.dout(0), 1));
  if (grads.Needs(1)) grads.Add(1, TimesOperand(call, call.dout(0), 0));
}

}  // namespace

const OpDef kMul = {.name = "mul", .shape = NumberShape, .forward = MulForward, .vjp = MulVjp};

Tensor Div(Tensor a, Tensor b) { return CallBinary(kDiv, std::move(a), std::move(b)); }
Tensor Div(Tensor a, double b) { return CallBinary(kDiv, std::move(a), b); }
Tensor Div(double a, Tensor b) { return CallBinary(kDiv, a, std::move(b)); }

namespace {

void DivShape(OpCall& call) {
  CheckFloat(call.name(), &TypedInput(call) == &call.in(0) ? "a" : "b", TypedInput(call));
  BinaryShape(call);
}

void DivForward(OpCall& call) {
  if (call.NeedsGrad(0) || call.NeedsGrad(1)) call.SaveInput(1);
  if (call.NeedsGrad(1)) call.SaveOutput(0);
  VisitFloat(TypedInput(call).dtype(), [&]<typename T>() {
    BinaryForwardAs<T, T>(call, [](auto a, auto b) { return a / b; });
  });
}

// y = a / b, da = dy / b, db = -dy y / b
void DivVjp(const VjpCall& call, GradSink& grads) {
  const BinaryAttributes& attributes = call.attributes<BinaryAttributes>();
  if (attributes.number_at == 1) {
    grads.Add(0, call.dout(0) / attributes.number);
    return;
  }
  if (grads.Needs(0)) grads.Add(0, call.dout(0) / call.in(1));
  // Not a product with da: at b = 0 the second derivative would then lose infinities of da.
  if (grads.Needs(1)) grads.Add(1, -(call.dout(0) * (call.out(0) / call.in(1))));
}

}  // namespace

const OpDef kDiv = {.name = "div", .shape = DivShape, .forward = DivForward, .vjp = DivVjp};

Tensor Neg(Tensor x) { return Call(kNeg, {}, std::move(x)); }

namespace {

void NegShape(OpCall& call) {
  CheckNumber(call.name(), "x", call.in(0));
  call.AddOutput(call.in(0).shape(), call.in(0).dtype());
}

void NegForward(OpCall& call) {
  VisitDType(call.in(0).dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const auto minus = [](Accumulator<T> x) {
        return Wrapping([](auto x, auto) { return -x; }, x, x);
      };
      UnaryLoop<T, T>(call.in(0), minus, call.OutputOver(0, 0));
    }
  });
}

// y = -x, dx = -dy
void NegVjp(const VjpCall& call, GradSink& grads) { grads.Add(0, -call.dout(0)); }

}  // namespace

const OpDef kNeg = {.name = "neg", .shape = NegShape, .forward = NegForward, .vjp = NegVjp};

namespace {

// x = fn(x, y), where x is given up, so that it can be overwritten. Refuses before that.
Tensor& Rebind(const OpDef& op, Tensor& x, Tensor y, Tensor (*fn)(Tensor, Tensor)) {
  CheckSameDType(op.name, x, y);
  BroadcastOrFail(op.name, x, y);
  return x = fn(std::move(x), std::move(y));
}

Tensor& Rebind(const OpDef& op, Tensor& x, double y, Tensor (*fn)(Tensor, double)) {
  CheckDefined(op.name, "a", x);
  CheckScalar(op.name, "b", y, x.dtype());
  return x = fn(std::move(x), y);
}

}  // namespace

Tensor& operator+=(Tensor& x, Tensor y) { return Rebind(kAdd, x, std::move(y), Add); }
Tensor& operator-=(Tensor& x, Tensor y) { return Rebind(kSub, x, std::move(y), Sub); }
Tensor& operator*=(Tensor& x, Tensor y) { return Rebind(kMul, x, std::move(y), Mul); }
Tensor& operator/=(Tensor& x, Tensor y) { return Rebind(kDiv, x, std::move(y), Div); }
Tensor& operator+=(Tensor& x, double y) { return Rebind(kAdd, x, y, Add); }
Tensor& operator-=(Tensor& x, double y) { return Rebind(kSub, x, y, Sub); }
Tensor& operator*=(Tensor& x, double y) { return Rebind(kMul, x, y, Mul); }
Tensor& operator/=(Tensor& x, double y) { return Rebind(kDiv, x, y, Div); }

}  // namespace lemma
