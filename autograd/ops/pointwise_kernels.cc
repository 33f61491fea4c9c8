// The functions that have vector kernels.

#include <numbers>
#include <utility>

#include "autograd/dtype.h"
#include "autograd/kernels/unary.h"
#include "autograd/node.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/pointwise.h"

namespace lemma {
namespace {

using kernels::UnaryFunction;

void FloatShape(OpCall& call) {
  CheckFloat(call.name(), "x", call.in(0));
  call.AddOutput(call.in(0).shape(), call.in(0).dtype());
}

void KernelForward(OpCall& call, UnaryFunction function) {
  const Tensor& x = call.dense(0);
  Tensor& y = call.OutputOver(0, 0);
  VisitFloat(x.dtype(), [&]<typename T>() {
    kernels::UnaryForward<T>(function, x.numel(), x.data<T>(), y.mutable_data<T>());
  });
}

// dx = dy f'(x) in one pass, for walks that are not recorded. `saved` is x or y, whichever the
// function's derivative is computed from.
Tensor KernelGradient(UnaryFunction function, const Tensor& saved, const Tensor& dy) {
  const Tensor value = saved.DetachedContiguous();
  const Tensor gradient = dy.DetachedContiguous();
  Tensor dx = Tensor::Empty(value.shape(), value.dtype());
  VisitFloat(value.dtype(), [&]<typename T>() {
    const T* data = value.data<T>();
    kernels::UnaryBackward<T>(function, value.numel(), data, data, gradient.data<T>(),
                              dx.mutable_data<T>(), /*accumulate=*/false);
  });
  return dx;
}

}  // namespace

Tensor Exp(Tensor x) { return Call(kExp, {}, std::move(x)); }

namespace {

void ExpForward(OpCall& call) {
  KernelForward(call, UnaryFunction::kExp);
  call.SaveOutput(0);
}

// y = exp(x), dx = dy y
void ExpVjp(const VjpCall& call, GradSink& grads) { grads.Add(0, call.dout(0) * call.out(0)); }

}  // namespace

const OpDef kExp = {.name = "exp", .shape = FloatShape, .forward = ExpForward, .vjp = ExpVjp};

Tensor Log(Tensor x) { return Call(kLog, {}, std::move(x)); }

namespace {

void LogForward(OpCall& call) {
  call.SaveInput(0);
  KernelForward(call, UnaryFunction::kLog);
}

// y = log(x), dx = dy / x
void LogVjp(const VjpCall& call, GradSink& grads) { grads.Add(0, call.dout(0) / call.in(0)); }

}  // namespace

const OpDef kLog = {.name = "log", .shape = FloatShape, .forward = LogForward, .vjp = LogVjp};

Tensor Erf(Tensor x) { return Call(kErf, {}, std::move(x)); }

namespace {

void ErfForward(OpCall& call) {
  call.SaveInput(0);
  KernelForward(call, UnaryFunction::kErf);
}

// y = erf(x), dx = dy 2 / sqrt(pi) exp(-x^2)
void ErfVjp(const VjpCall& call, GradSink& grads) {
  const Tensor x = call.in(0);
  if (!call.recording()) {
    grads.Add(0, KernelGradient(UnaryFunction::kErf, x, call.dout(0)));
    return;
  }
  grads.Add(0, call.dout(0) * (Exp(-(x * x)) * (2 * std::numbers::inv_sqrtpi)));
}

}  // namespace

const OpDef kErf = {.name = "erf", .shape = FloatShape, .forward = ErfForward, .vjp = ErfVjp};

Tensor Tanh(Tensor x) { return Call(kTanh, {}, std::move(x)); }

namespace {

void TanhForward(OpCall& call) {
  KernelForward(call, UnaryFunction::kTanh);
  call.SaveOutput(0);
}

// y = tanh(x), dx = dy (1 - y^2)
void TanhVjp(const VjpCall& call, GradSink& grads) {
  const Tensor y = call.out(0);
  if (!call.recording()) {
    grads.Add(0, KernelGradient(UnaryFunction::kTanh, y, call.dout(0)));
    return;
  }
  grads.Add(0, call.dout(0) * (1 - y * y));
}

}  // namespace

const OpDef kTanh = {.name = "tanh", .shape = FloatShape, .forward = TanhForward, .vjp = TanhVjp};

Tensor Sigmoid(Tensor x) { return Call(kSigmoid, {}, std::move(x)); }

namespace {

void SigmoidForward(OpCall& call) {
  KernelForward(call, UnaryFunction::kSigmoid);
  call.SaveOutput(0);
}

// y = 1 / (1 + exp(-x)), dx = dy y (1 - y)
void SigmoidVjp(const VjpCall& call, GradSink& grads) {
  const Tensor y = call.out(0);
  if (!call.recording()) {
    grads.Add(0, KernelGradient(UnaryFunction::kSigmoid, y, call.dout(0)));
    return;
  }
  grads.Add(0, call.dout(0) * (y * (1 - y)));
}

}  // namespace

const OpDef kSigmoid = {
    .name = "sigmoid", .shape = FloatShape, .forward = SigmoidForward, .vjp = SigmoidVjp};

Tensor Relu(Tensor x) { return Call(kRelu, {}, std::move(x)); }

namespace {

void ReluForward(OpCall& call) {
  KernelForward(call, UnaryFunction::kRelu);
  call.SaveOutput(0);
}

// y = max(x, 0), dx = dy but 0 where y = 0
void ReluVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, MaskedFill(call.dout(0), LessEqual(call.out(0), 0), 0.0));
}

}  // namespace

const OpDef kRelu = {.name = "relu", .shape = FloatShape, .forward = ReluForward, .vjp = ReluVjp};

Tensor Silu(Tensor x) { return Call(kSilu, {}, std::move(x)); }

namespace {

void SiluForward(OpCall& call) {
  call.SaveInput(0);
  KernelForward(call, UnaryFunction::kSilu);
}

// y = x s with s = sigmoid(x), dx = dy s (1 + x (1 - s))
void SiluVjp(const VjpCall& call, GradSink& grads) {
  const Tensor x = call.in(0);
  if (!call.recording()) {
    grads.Add(0, KernelGradient(UnaryFunction::kSilu, x, call.dout(0)));
    return;
  }
  const Tensor s = Sigmoid(x);
  grads.Add(0, call.dout(0) * (s * (1 + x * (1 - s))));
}

}  // namespace

const OpDef kSilu = {.name = "silu", .shape = FloatShape, .forward = SiluForward, .vjp = SiluVjp};

}  // namespace lemma
