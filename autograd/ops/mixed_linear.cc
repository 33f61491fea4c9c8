#include "autograd/ops/mixed_linear.h"

#include <utility>

#include "autograd/kernels/matmul.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"

namespace lemma {
namespace {

// x as it goes into a product.
Tensor Rounded(const Tensor& x) {
  return x.dtype() == DType::kFloat32 ? Cast(x, DType::kBFloat16) : x;
}

// x rounded to bfloat16, in its own type.
Tensor Round(const Tensor& x) { return Cast(Rounded(x), x.dtype()); }

// What RoundedCopy of x, which starts its array, will return.
void KeepRoundedCopy(const Tensor& x, const Tensor& rounded) {
  const size_t bytes = static_cast<size_t>(x.numel()) * SizeOf(DType::kBFloat16);
  x.storage()->SetDerived(rounded.storage(), bytes);
}

}  // namespace

bool HasFastBFloat16() { return kernels::HasFastBFloat16(); }

Tensor RoundedCopy(const Tensor& x) {
  if (x.dtype() != DType::kFloat32) return x.Detach();
  const NoGrad no_grad;
  const Ref<Storage>& storage = x.storage();
  const bool starts_it = x.IsContiguous() && x.offset() == 0;
  if (!starts_it) return Cast(x.Detach(), DType::kBFloat16);
  const size_t bytes = static_cast<size_t>(x.numel()) * SizeOf(DType::kBFloat16);
  if (const Ref<Storage> kept = storage->derived(bytes)) {
    return Tensor::View(kept, DType::kBFloat16, x.shape(), x.strides(), 0);
  }
  Tensor rounded = Cast(x.Detach(), DType::kBFloat16);
  KeepRoundedCopy(x, rounded);
  return rounded;
}

void DropRoundedCopy(const Tensor& x) { x.storage()->SetDerived(Ref<Storage>(), 0); }

namespace {

void MixedLinearShape(OpCall& call) {
  const Tensor& x = call.in(0);
  if (x.defined() && x.dtype() == DType::kBFloat16) {
    Fail(call.name(), "x: it must be float32, and is rounded here; it is bfloat16; use Linear");
  }
  LinearShape(call);
}

void MixedLinearForward(OpCall& call) {
  const Tensor x = Rounded(call.dense(0)), weight = RoundedCopy(call.dense(1));
  Tensor y = Tensor::Empty(call.spec(0).shape, x.dtype());
  if (y.numel() > 0) {
    const int64_t in = weight.size(1), out = weight.size(0);
    kernels::MatMulCall product;
    product.dtype = product.out_dtype = x.dtype();
    product.m = y.numel() / out, product.n = out, product.k = in;
    product.a = {.data = x.raw_data(), .row = in, .col = 1};
    product.b = {.data = weight.raw_data(), .row = 1, .col = in};
    product.c = y.mutable_raw_data();
    product.c_row = out;
    if (call.in(2).defined()) product.bias = call.dense(2).raw_data();
    kernels::MatMul(product);
  }
  call.SetOutput(0, Cast(y, call.spec(0).dtype));
  if (call.recording() && y.dtype() == DType::kBFloat16) KeepRoundedCopy(call.out(0), y);
}

Tensor PackOutput(const Tensor& y) {
  return y.dtype() == DType::kFloat32 ? RoundedCopy(y) : Tensor();
}

Tensor UnpackOutput(const Tensor& packed) { return Cast(packed, DType::kFloat32); }

// y = x W^T + b: dx = dy W (N out * out in), dW = dy^T x (out N * N in), db = sum of dy over rows
void MixedLinearVjp(const VjpCall& call, GradSink& grads) {
  const Tensor dy = AsMatrix(call.dout(0));
  if (grads.Needs(2)) grads.Add(2, Sum(dy, {0}));
  if (!grads.Needs(0) && !grads.Needs(1)) return;
  const Tensor rounded = Rounded(dy);
  if (grads.Needs(1)) grads.AddProduct(1, rounded, true, Rounded(AsMatrix(call.in(0))), false);
  if (grads.Needs(0)) grads.AddProduct(0, rounded, false, RoundedCopy(call.in(1)), false);
  DropRoundedCopy(call.in(1));
}

TensorList MixedLinearComposite(const TensorList& inputs, const Attributes&) {
  return {Round(LinearOfRounded(inputs[0], inputs[1], inputs[2]))};
}

}  // namespace

Tensor LinearOfRounded(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return Linear(Round(x), Round(weight), bias);
}

Tensor MixedLinear(Tensor x, Tensor weight, Tensor bias) {
  return Call(kMixedLinear, {}, std::move(x), std::move(weight), std::move(bias));
}

const OpDef kMixedLinear = {.name = "mixed_linear",
                            .shape = MixedLinearShape,
                            .forward = MixedLinearForward,
                            .vjp = MixedLinearVjp,
                            .composite = MixedLinearComposite,
                            .pack = PackOutput,
                            .unpack = UnpackOutput};

}  // namespace lemma
