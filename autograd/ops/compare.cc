#include "autograd/ops/compare.h"

#include <cmath>
#include <utility>

#include "autograd/dtype.h"
#include "autograd/node.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/loops.h"
#include "autograd/shape.h"

namespace lemma {
namespace {

void CompareShape(OpCall& call) { BinaryShape(call, DType::kBool); }

template <typename Fn>
void CompareForward(OpCall& call, Fn fn) {
  VisitDType(TypedInput(call).dtype(), [&]<typename T>() { BinaryForwardAs<bool, T>(call, fn); });
}

void EqualForward(OpCall& call) {
  CompareForward(call, [](auto a, auto b) { return a == b; });
}
void NotEqualForward(OpCall& call) {
  CompareForward(call, [](auto a, auto b) { return a != b; });
}
void LessForward(OpCall& call) {
  CompareForward(call, [](auto a, auto b) { return a < b; });
}
void LessEqualForward(OpCall& call) {
  CompareForward(call, [](auto a, auto b) { return a <= b; });
}
void GreaterForward(OpCall& call) {
  CompareForward(call, [](auto a, auto b) { return a > b; });
}
void GreaterEqualForward(OpCall& call) {
  CompareForward(call, [](auto a, auto b) { return a >= b; });
}

}  // namespace

Tensor Equal(Tensor a, Tensor b) { return CallBinary(kEqual, std::move(a), std::move(b)); }
Tensor Equal(Tensor a, double b) { return CallBinary(kEqual, std::move(a), b); }
const OpDef kEqual = {.name = "equal", .shape = CompareShape, .forward = EqualForward};

Tensor NotEqual(Tensor a, Tensor b) { return CallBinary(kNotEqual, std::move(a), std::move(b)); }
Tensor NotEqual(Tensor a, double b) { return CallBinary(kNotEqual, std::move(a), b); }
const OpDef kNotEqual = {.name = "not_equal", .shape = CompareShape, .forward = NotEqualForward};

Tensor Less(Tensor a, Tensor b) { return CallBinary(kLess, std::move(a), std::move(b)); }
Tensor Less(Tensor a, double b) { return CallBinary(kLess, std::move(a), b); }
const OpDef kLess = {.name = "less", .shape = CompareShape, .forward = LessForward};

Tensor LessEqual(Tensor a, Tensor b) { return CallBinary(kLessEqual, std::move(a), std::move(b)); }
Tensor LessEqual(Tensor a, double b) { return CallBinary(kLessEqual, std::move(a), b); }
const OpDef kLessEqual = {.name = "less_equal", .shape = CompareShape, .forward = LessEqualForward};

Tensor Greater(Tensor a, Tensor b) { return CallBinary(kGreater, std::move(a), std::move(b)); }
Tensor Greater(Tensor a, double b) { return CallBinary(kGreater, std::move(a), b); }
const OpDef kGreater = {.name = "greater", .shape = CompareShape, .forward = GreaterForward};

Tensor GreaterEqual(Tensor a, Tensor b) {
  return CallBinary(kGreaterEqual, std::move(a), std::move(b));
}
Tensor GreaterEqual(Tensor a, double b) { return CallBinary(kGreaterEqual, std::move(a), b); }
const OpDef kGreaterEqual = {
    .name = "greater_equal", .shape = CompareShape, .forward = GreaterEqualForward};

Tensor IsFinite(Tensor x) { return Call(kIsFinite, {}, std::move(x)); }

namespace {

void IsFiniteShape(OpCall& call) {
  CheckFloat(call.name(), "x", call.in(0));
  call.AddOutput(call.in(0).shape(), DType::kBool);
}

void IsFiniteForward(OpCall& call) {
  VisitFloat(call.in(0).dtype(), [&]<typename T>() {
    UnaryLoop<bool, T>(
        call.in(0), [](Accumulator<T> x) { return std::isfinite(x); }, call.out(0));
  });
}

}  // namespace

const OpDef kIsFinite = {.name = "is_finite", .shape = IsFiniteShape, .forward = IsFiniteForward};

Tensor LogicalNot(Tensor x) { return Call(kLogicalNot, {}, std::move(x)); }

namespace {

void LogicalNotShape(OpCall& call) {
  CheckBool(call.name(), "x", call.in(0));
  call.AddOutput(call.in(0).shape(), DType::kBool);
}

void LogicalNotForward(OpCall& call) {
  UnaryLoop<bool, bool>(
      call.in(0), [](bool x) { return !x; }, call.OutputOver(0, 0));
}

}  // namespace

const OpDef kLogicalNot = {
    .name = "logical_not", .shape = LogicalNotShape, .forward = LogicalNotForward};

Tensor LogicalAnd(Tensor a, Tensor b) {
  return CallBinary(kLogicalAnd, std::move(a), std::move(b));
}
Tensor LogicalOr(Tensor a, Tensor b) { return CallBinary(kLogicalOr, std::move(a), std::move(b)); }

namespace {

void LogicalShape(OpCall& call) {
  CheckBool(call.name(), "a", call.in(0));
  CheckBool(call.name(), "b", call.in(1));
  BinaryShape(call);
}

void LogicalAndForward(OpCall& call) {
  BinaryForwardAs<bool, bool>(call, [](bool a, bool b) { return a & b; });
}

void LogicalOrForward(OpCall& call) {
  BinaryForwardAs<bool, bool>(call, [](bool a, bool b) { return a | b; });
}

}  // namespace

const OpDef kLogicalAnd = {
    .name = "logical_and", .shape = LogicalShape, .forward = LogicalAndForward};
const OpDef kLogicalOr = {.name = "logical_or", .shape = LogicalShape, .forward = LogicalOrForward};

Tensor Where(Tensor condition, Tensor a, Tensor b) {
  return Call(kWhere, {}, std::move(condition), std::move(a), std::move(b));
}

Tensor Where(Tensor condition, Tensor a, double b) {
  CheckBool(kWhere.name, "condition", condition);
  return MaskedFill(std::move(a), LogicalNot(std::move(condition)), b);
}

Tensor Where(Tensor condition, double a, Tensor b) {
  CheckBool(kWhere.name, "condition", condition);
  return MaskedFill(std::move(b), std::move(condition), a);
}

namespace {

void WhereShape(OpCall& call) {
  const Tensor& condition = call.in(0);
  CheckBool(call.name(), "condition", condition);
  CheckSameDType(call.name(), call.in(1), call.in(2));
  const Shape values = BroadcastOrFail(call.name(), call.in(1), call.in(2));
  call.AddOutput(BroadcastOrFail(call.name(), "condition", condition.shape(), "a and b", values),
                 call.in(1).dtype());
}

void WhereForward(OpCall& call) {
  if (call.NeedsGrad(1) || call.NeedsGrad(2)) call.SaveInput(0);
  const bool a_fits = call.in(1).IsSoleOwner() && call.in(1).IsContiguous() &&
                      call.in(1).numel() == call.spec(0).shape.numel();
  Tensor& y = call.OutputOver(0, a_fits ? 1 : 2);
  VisitDType(y.dtype(), [&]<typename T>() {
    using A = Accumulator<T>;
    TernaryLoop<T, bool, T, T>(
        call.in(0), call.in(1), call.in(2),
        [](bool choose_a, A a, A b) { return choose_a ? a : b; }, y);
  });
}

// y = a where c, else b: da = dy where c, db = dy where not c
void WhereVjp(const VjpCall& call, GradSink& grads) {
  if (grads.Needs(1)) grads.Add(1, Where(call.in(0), call.dout(0), 0.0));
  if (grads.Needs(2)) grads.Add(2, MaskedFill(call.dout(0), call.in(0), 0.0));
}

}  // namespace

const OpDef kWhere = {
    .name = "where", .shape = WhereShape, .forward = WhereForward, .vjp = WhereVjp};

Tensor MaskedFill(Tensor x, Tensor mask, double value) {
  return Call(kMaskedFill, value, std::move(x), std::move(mask));
}

namespace {

void MaskedFillShape(OpCall& call) {
  const Tensor& x = call.in(0);
  CheckDefined(call.name(), "x", x);
  CheckBool(call.name(), "mask", call.in(1));
  CheckScalar(call.name(), "value", call.attributes<double>(), x.dtype());
  call.AddOutput(BroadcastOrFail(call.name(), "x", x.shape(), "mask", call.in(1).shape()),
                 x.dtype());
}

void MaskedFillForward(OpCall& call) {
  if (call.NeedsGrad(0)) call.SaveInput(1);
  Tensor& y = call.OutputOver(0, 0);
  VisitDType(y.dtype(), [&]<typename T>() {
    using A = Accumulator<T>;
    const A value = static_cast<A>(call.attributes<double>());
    BinaryLoop<T, T, bool>(
        call.in(0), call.in(1), [value](A x, bool masked) { return masked ? value : x; }, y);
  });
}

// dx = dy where not masked
void MaskedFillVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, MaskedFill(call.dout(0), call.in(1), 0.0));
}

}  // namespace

const OpDef kMaskedFill = {.name = "masked_fill",
                           .shape = MaskedFillShape,
                           .forward = MaskedFillForward,
                           .vjp = MaskedFillVjp};

}  // namespace lemma
