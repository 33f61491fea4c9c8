#include "autograd/ops/gelu.h"

#include <numbers>
#include <utility>

#include "autograd/attributes.h"
#include "autograd/dtype.h"
#include "autograd/kernels/gelu.h"
#include "autograd/node.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/pointwise.h"

namespace lemma {

Tensor Gelu(Tensor x, GeluForm form) { return Call(kGelu, form, std::move(x)); }

namespace {

void GeluShape(OpCall& call) {
  CheckFloat(call.name(), "x", call.in(0));
  call.AddOutput(call.in(0).shape(), call.in(0).dtype());
}

void GeluForward(OpCall& call) {
  const Tensor& x = call.dense(0);
  Tensor& y = call.OutputOver(0, 0);
  VisitFloat(x.dtype(), [&]<typename T>() {
    kernels::GeluForward<T>(x.numel(), x.data<T>(), y.mutable_data<T>(),
                            call.attributes<GeluForm>());
  });
}

// y = x Phi(x), dx = dy (Phi(x) + x phi(x)), or the derivative of the tanh form
void GeluVjp(const VjpCall& call, GradSink& grads) {
  const Tensor x = call.in(0).DetachedContiguous();
  Tensor dy = call.TakeDout(0).DetachedContiguous();
  Tensor dx = dy.IsSoleOwner() ? dy : Tensor::Empty(x.shape(), x.dtype());
  VisitFloat(x.dtype(), [&]<typename T>() {
    kernels::GeluBackward<T>(x.numel(), x.data<T>(), dy.data<T>(), dx.mutable_data<T>(),
                             call.attributes<GeluForm>(), /*accumulate=*/false);
  });
  dy = Tensor();
  grads.Add(0, std::move(dx));
}

TensorList GeluComposite(const TensorList& inputs, const Attributes& attributes) {
  const Tensor& x = inputs[0];
  if (attributes.As<GeluForm>() == GeluForm::kExact) {
    return {x * 0.5 * (1 + Erf(x * (1 / std::numbers::sqrt2)))};
  }
  const double beta = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return {x * 0.5 * (1 + Tanh((x + Square(x) * x * 0.044715) * beta))};
}

}  // namespace

const OpDef kGelu = {.name = "gelu",
                     .shape = GeluShape,
                     .forward = GeluForward,
                     .vjp = GeluVjp,
                     .composite = GeluComposite,
                     .cheap = true};

}  // namespace lemma
