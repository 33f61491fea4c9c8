#include "autograd/ops/dropout.h"

#include <utility>

#include "absl/types/span.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/checks.h"

namespace lemma {

Tensor DropoutMask(const Shape& shape, double p, Generator& generator) {
  if (!(p >= 0 && p <= 1)) Fail("dropout", "p: a probability is in [0, 1]; p is ", p);
  Tensor keep = Tensor::Empty(shape, DType::kFloat32);
  generator.Bernoulli(absl::MakeSpan(keep.mutable_data<float>(), keep.numel()), 1 - p);
  return keep;
}

Tensor Dropout(Tensor x, double p, Generator& generator) {
  if (p == 0) return x;
  CheckDefined("dropout", "x", x);
  Tensor keep = DropoutMask(x.shape(), p, generator);
  return ApplyDropout(std::move(x), std::move(keep), p == 1 ? 0 : 1 / (1 - p));
}

Tensor ApplyDropout(Tensor x, Tensor keep, double scale) {
  return Call(kDropout, scale, std::move(x), std::move(keep));
}

namespace {

void DropoutShape(OpCall& call) {
  const Tensor& x = call.in(0);
  CheckFloat(call.name(), "x", x);
  CheckShape(call.name(), "keep", call.in(1), x.shape());
  CheckDropoutMask(call.name(), "keep", call.in(1));
  call.AddOutput(x.shape(), x.dtype());
}

void DropoutForward(OpCall& call) {
  const Tensor& x = call.dense(0);
  const Tensor& keep = call.dense(1);
  call.SaveInput(1);
  Tensor& y = call.OutputOver(0, 0);
  VisitFloat(x.dtype(), [&]<typename T>() {
    const Tensor mask = Cast(keep, x.dtype());
    kernels::DropoutApply<T>(x.numel(), x.data<T>(), mask.data<T>(),
                             static_cast<Accumulator<T>>(call.attributes<double>()),
                             y.mutable_data<T>());
  });
}

// y = x keep scale, dx = dy keep scale
void DropoutVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, ApplyDropout(call.TakeDout(0), call.in(1), call.attributes<double>()));
}

}  // namespace

const OpDef kDropout = {
    .name = "dropout", .shape = DropoutShape, .forward = DropoutForward, .vjp = DropoutVjp};

}  // namespace lemma
