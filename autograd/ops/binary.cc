#include "autograd/ops/binary.h"

namespace lemma {

void BinaryShape(OpCall& call) {
  CheckDefined(call.name(), "a", TypedInput(call));
  BinaryShape(call, TypedInput(call).dtype());
}

void BinaryShape(OpCall& call, DType dtype) {
  const BinaryAttributes& attributes = call.attributes<BinaryAttributes>();
  const Tensor& typed = TypedInput(call);
  if (attributes.number_at >= 0) {
    CheckScalar(call.name(), attributes.number_at == 0 ? "a" : "b", attributes.number,
                typed.dtype());
    call.AddOutput(typed.shape(), dtype);
  } else {
    CheckSameDType(call.name(), call.in(0), call.in(1));
    call.AddOutput(BroadcastOrFail(call.name(), call.in(0), call.in(1)), dtype);
  }
}

Tensor& BinaryOutput(OpCall& call) {
  const Tensor& a = call.in(0);
  const bool a_fits =
      a.IsSoleOwner() && a.IsContiguous() && a.numel() == call.spec(0).shape.numel();
  return call.OutputOver(0, a_fits || !call.in(1).defined() ? 0 : 1);
}

}  // namespace lemma
