#include "autograd/ops/maximum.h"

#include <utility>

#include "autograd/dtype.h"
#include "autograd/node.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/binary.h"
#include "autograd/ops/compare.h"

namespace lemma {
namespace {

void ExtremumShape(OpCall& call) { BinaryShape(call); }

template <typename Fn>
void ExtremumForward(OpCall& call, Fn fn) {
  if (call.NeedsGrad(0) || call.NeedsGrad(1)) {
    call.SaveInput(0);
    call.SaveInput(1);
  }
  VisitDType(TypedInput(call).dtype(), [&]<typename T>() { BinaryForwardAs<T, T>(call, fn); });
}

using Comparison = Tensor (*)(Tensor, Tensor);
using NumberComparison = Tensor (*)(Tensor, double);

// da = dy where a wins, dy/2 where a = b, 0 where b wins; db likewise. `a_loses` is a < b for the
// maximum.
void ExtremumVjp(const VjpCall& call, GradSink& grads, Comparison loses,
                 NumberComparison loses_to_number) {
  const BinaryAttributes& attributes = call.attributes<BinaryAttributes>();
  const Tensor& dy = call.dout(0);
  const Tensor a = call.in(0);
  if (attributes.number_at == 1) {
    const Tensor shared = Where(Equal(a, attributes.number), dy * 0.5, dy);
    grads.Add(0, MaskedFill(shared, loses_to_number(a, attributes.number), 0.0));
    return;
  }
  const Tensor b = call.in(1);
  const Tensor shared = Where(Equal(a, b), dy * 0.5, dy);
  if (grads.Needs(0)) grads.Add(0, MaskedFill(shared, loses(a, b), 0.0));
  if (grads.Needs(1)) grads.Add(1, MaskedFill(shared, loses(b, a), 0.0));
}

}  // namespace

Tensor Maximum(Tensor a, Tensor b) { return CallBinary(kMaximum, std::move(a), std::move(b)); }
Tensor Maximum(Tensor a, double b) { return CallBinary(kMaximum, std::move(a), b); }

namespace {

void MaximumForward(OpCall& call) {
  ExtremumForward(call, [](auto a, auto b) { return a > b || a != a ? a : b; });
}

void MaximumVjp(const VjpCall& call, GradSink& grads) { ExtremumVjp(call, grads, Less, Less); }

}  // namespace

const OpDef kMaximum = {
    .name = "maximum", .shape = ExtremumShape, .forward = MaximumForward, .vjp = MaximumVjp};

Tensor Minimum(Tensor a, Tensor b) { return CallBinary(kMinimum, std::move(a), std::move(b)); }
Tensor Minimum(Tensor a, double b) { return CallBinary(kMinimum, std::move(a), b); }

namespace {

void MinimumForward(OpCall& call) {
  ExtremumForward(call, [](auto a, auto b) { return a < b || a != a ? a : b; });
}

void MinimumVjp(const VjpCall& call, GradSink& grads) {
  ExtremumVjp(call, grads, Greater, Greater);
}

}  // namespace

const OpDef kMinimum = {
    .name = "minimum", .shape = ExtremumShape, .forward = MinimumForward, .vjp = MinimumVjp};

}  // namespace lemma
