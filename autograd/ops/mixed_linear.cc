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

size_t RoundedBytes(const Tensor& x) {
  return static_cast<size_t>(x.numel()) * SizeOf(DType::kBFloat16);
}

// What is kept beside x, which starts its array; undefined where nothing is.
Tensor KeptCopy(const Tensor& x) {
  const Ref<Storage> kept = x.storage()->derived(RoundedBytes(x));
  return kept ? Tensor::View(kept, DType::kBFloat16, x.shape(), x.strides(), 0) : Tensor();
}

void KeepCopy(const Tensor& x, const Tensor& rounded) {
  x.storage()->SetDerived(rounded.storage(), RoundedBytes(x));
}

}  // namespace

bool HasFastBFloat16() { return kernels::HasFastBFloat16(); }

Tensor RoundedCopy(const Tensor& x) {
  if (x.dtype() != DType::kFloat32) return x.Detach();
  const NoGrad no_grad;
  const bool starts_it = x.IsContiguous() && x.offset() == 0;
  if (!starts_it) return Cast(x.Detach(), DType::kBFloat16);
  if (Tensor kept = KeptCopy(x); kept.defined()) return kept;
  Tensor rounded = Cast(x.Detach(), DType::kBFloat16);
  KeepCopy(x, rounded);
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

bool RoundsResult(DType result, const Tensor& x) {
  return result == DType::kBFloat16 && x.dtype() == DType::kFloat32;
}

void MixedLinearForward(OpCall& call) {
  const Tensor x = Rounded(call.dense(0)), weight = RoundedCopy(call.dense(1));
  const bool rounds = RoundsResult(call.attributes<DType>(), call.in(0));
  Tensor y = rounds ? Tensor::Empty(call.spec(0).shape, DType::kBFloat16) : call.out(0);
  if (y.numel() > 0) {
    const int64_t in = weight.size(1), out = weight.size(0);
    kernels::MatMulCall product;
    product.dtype = x.dtype();
    product.out_dtype = y.dtype();
    product.m = y.numel() / out, product.n = out, product.k = in;
    product.a = {.data = x.raw_data(), .row = in, .col = 1};
    product.b = {.data = weight.raw_data(), .row = 1, .col = in};
    product.c = y.mutable_raw_data();
    product.c_row = out;
    if (call.in(2).defined()) product.bias = call.dense(2).raw_data();
    kernels::MatMul(product);
  }
  if (!rounds) return;
  call.SetOutput(0, Cast(y, DType::kFloat32));
  if (call.recording()) KeepCopy(call.out(0), y);
}

// What the forward kept, unless y has changed since.
Tensor PackOutput(const Tensor& y) { return KeptCopy(y); }

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

TensorList MixedLinearComposite(const TensorList& inputs, const Attributes& attributes) {
  const Tensor sums = Linear(Round(inputs[0]), Round(inputs[1]), inputs[2]);
  return {RoundsResult(attributes.As<DType>(), inputs[0]) ? Round(sums) : sums};
}

}  // namespace

Tensor MixedLinear(Tensor x, Tensor weight, Tensor bias, DType result) {
  if (result != DType::kBFloat16 && result != DType::kFloat32) {
    Fail(kMixedLinear.name, "result: it must be bfloat16 or float32; it is ", Name(result));
  }
  return Call(kMixedLinear, result, std::move(x), std::move(weight), std::move(bias));
}

const OpDef kMixedLinear = {.name = "mixed_linear",
                            .shape = MixedLinearShape,
                            .forward = MixedLinearForward,
                            .vjp = MixedLinearVjp,
                            .composite = MixedLinearComposite,
                            .pack = PackOutput,
                            .unpack = UnpackOutput};

}  // namespace lemma
