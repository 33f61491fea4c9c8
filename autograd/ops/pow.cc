#include "autograd/ops/pow.h"

#include <cmath>
#include <utility>

#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/node.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/loops.h"
#include "autograd/ops/pointwise.h"

namespace lemma {

Tensor Pow(Tensor base, Tensor exponent) {
  return CallBinary(kPow, std::move(base), std::move(exponent));
}
Tensor Pow(Tensor base, double exponent) { return CallBinary(kPow, std::move(base), exponent); }
Tensor Pow(double base, Tensor exponent) { return CallBinary(kPow, base, std::move(exponent)); }

namespace {

void PowShape(OpCall& call) {
  CheckFloat(call.name(), &TypedInput(call) == &call.in(0) ? "a" : "b", TypedInput(call));
  BinaryShape(call);
}

// The exponents that have a shorter way. False where there is none.
template <typename T>
bool ShortPower(OpCall& call, double exponent) {
  using A = Accumulator<T>;
  const auto apply = [&](auto fn) {
    UnaryLoop<T, T>(call.in(0), fn, call.OutputOver(0, 0));
    return true;
  };
  if (exponent == 2) return apply([](A x) { return x * x; });
  if (exponent == 3) return apply([](A x) { return x * x * x; });
  if (exponent == 0.5) return apply([](A x) { return std::sqrt(x); });
  if (exponent == -1) return apply([](A x) { return A{1} / x; });
  if (exponent == -2) return apply([](A x) { return A{1} / (x * x); });
  if (exponent == -0.5) return apply([](A x) { return A{1} / std::sqrt(x); });
  return false;
}

void PowForward(OpCall& call) {
  const BinaryAttributes& attributes = call.attributes<BinaryAttributes>();
  if (call.recording()) {
    call.SaveInput(0);
    call.SaveInput(1);
  }
  if (call.NeedsGrad(1)) call.SaveOutput(0);
  VisitFloat(TypedInput(call).dtype(), [&]<typename T>() {
    if (attributes.number_at == 1 && ShortPower<T>(call, attributes.number)) return;
    BinaryForwardAs<T, T>(call, [](auto a, auto b) { return std::pow(a, b); });
  });
}

// y = a^b, da = dy b a^(b-1), 0 where b = 0
Tensor BaseGradient(const VjpCall& call) {
  const BinaryAttributes& attributes = call.attributes<BinaryAttributes>();
  const Tensor& dy = call.dout(0);
  const Tensor a = call.in(0);
  if (attributes.number_at == 1) {
    const double b = attributes.number;
    if (b == 0) return ZerosLike(dy);
    return dy * (Pow(a, b - 1) * b);
  }
  const Tensor b = call.in(1);
  return MaskedFill(dy * (b * Pow(a, b - 1)), Equal(b, 0), 0.0);
}

// y = a^b, db = dy y log(a), 0 where a = 0 and b >= 0
Tensor ExponentGradient(const VjpCall& call) {
  const BinaryAttributes& attributes = call.attributes<BinaryAttributes>();
  const Tensor& dy = call.dout(0);
  const Tensor b = call.in(1);
  if (attributes.number_at == 0) {
    const Tensor db = dy * (call.out(0) * std::log(attributes.number));
    return attributes.number == 0 ? MaskedFill(db, GreaterEqual(b, 0), 0.0) : db;
  }
  const Tensor a = call.in(0);
  return MaskedFill(dy * (call.out(0) * Log(a)), LogicalAnd(Equal(a, 0), GreaterEqual(b, 0)), 0.0);
}

void PowVjp(const VjpCall& call, GradSink& grads) {
  if (grads.Needs(0)) grads.Add(0, BaseGradient(call));
  if (grads.Needs(1)) grads.Add(1, ExponentGradient(call));
}

}  // namespace

const OpDef kPow = {.name = "pow", .shape = PowShape, .forward = PowForward, .vjp = PowVjp};

}  // namespace lemma
