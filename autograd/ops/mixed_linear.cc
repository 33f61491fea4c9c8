#include "autograd/ops/mixed_linear.h"

#include <utility>

#include "autograd/kernels/matmul.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"

namespace lemma {
namespace {

// x (..., C), row-major, as a matrix (N, C).
Tensor AsMatrix(const Tensor& x) {
  const int64_t columns = x.shape().back();
  const Shape leading(x.shape().sizes().subspan(0, x.rank() - 1));
  return Reshape(x, {leading.numel(), columns});
}

// x as it goes into a product.
Tensor Rounded(const Tensor& x) {
  return x.dtype() == DType::kFloat32 ? Cast(x, DType::kBFloat16) : x;
}

}  // namespace

bool HasFastBFloat16() { return kernels::HasFastBFloat16(); }

Tensor RoundedWeight(const Tensor& x) {
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
  storage->SetDerived(rounded.storage(), bytes);
  return rounded;
}

namespace {

void MixedLinearShape(OpCall& call) {
  const Tensor &x = call.in(0), &weight = call.in(1), &bias = call.in(2);
  const char* op = call.name();
  CheckFloat(op, "x", x);
  if (x.dtype() == DType::kBFloat16) {
    Fail(op, "x: it must be float32, and is rounded here; it is bfloat16; use Linear");
  }
  CheckMinRank(op, "x", x, 1);
  CheckRank(op, "weight", weight, 2);
  CheckSameDType(op, "x", x, "weight", weight);
  if (x.size(-1) != weight.size(1)) {
    Fail(op, "x: its last dimension ", x.size(-1), " must equal the ", weight.size(1),
         " columns of weight (out, in); x is ", x.shape().ToString(), ", weight is ",
         weight.shape().ToString());
  }
  if (bias.defined()) {
    CheckSameDType(op, "x", x, "bias", bias);
    CheckShape(op, "bias", bias, {weight.size(0)});
  }
  Shape out = x.shape();
  out[x.rank() - 1] = weight.size(0);
  call.AddOutput(std::move(out), x.dtype());
}

void MixedLinearForward(OpCall& call) {
  const Tensor x = Rounded(call.dense(0)), weight = RoundedWeight(call.dense(1));
  if (call.NeedsGrad(1)) call.Save(x);
  Tensor& y = call.out(0);
  if (y.numel() == 0) return;
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

// y = x W^T + b: dx = dy W (N out * out in), dW = dy^T x (out N * N in), db = sum of dy over rows
void MixedLinearVjp(const VjpCall& call, GradSink& grads) {
  const Tensor dy = AsMatrix(call.dout(0));
  if (grads.Needs(2)) grads.Add(2, Sum(dy, {0}));
  if (!grads.Needs(0) && !grads.Needs(1)) return;
  const Tensor rounded = Rounded(dy);
  if (grads.Needs(1)) grads.AddProduct(1, rounded, true, AsMatrix(call.extra(0)), false);
  if (grads.Needs(0)) grads.AddProduct(0, rounded, false, RoundedWeight(call.in(1)), false);
}

TensorList MixedLinearComposite(const TensorList& inputs, const Attributes&) {
  const auto round = [](const Tensor& x) { return Cast(Rounded(x), x.dtype()); };
  return {Linear(round(inputs[0]), round(inputs[1]), inputs[2])};
}

}  // namespace

Tensor MixedLinear(Tensor x, Tensor weight, Tensor bias) {
  return Call(kMixedLinear, {}, std::move(x), std::move(weight), std::move(bias));
}

const OpDef kMixedLinear = {.name = "mixed_linear",
                            .shape = MixedLinearShape,
                            .forward = MixedLinearForward,
                            .vjp = MixedLinearVjp,
                            .composite = MixedLinearComposite};

}  // namespace lemma
