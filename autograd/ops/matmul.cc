#include "autograd/ops/matmul.h"

#include <algorithm>
#include <utility>

#include "autograd/kernels/matmul.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"

namespace lemma {
namespace {

// The last two dimensions of a tensor, optionally transposed, as the kernel takes them.
kernels::MatMulOperand OperandOf(const Tensor& x, bool transpose = false) {
  const int r = x.rank();
  const int64_t rows = x.strides()[r - 2], columns = x.strides()[r - 1];
  return {
      .data = x.raw_data(), .row = transpose ? columns : rows, .col = transpose ? rows : columns};
}

}  // namespace

Tensor AsMatrix(const Tensor& x) {
  const int64_t columns = x.shape().back();
  const Shape rows(x.shape().sizes().subspan(0, x.rank() - 1));
  return Reshape(x, {rows.numel(), columns});
}

void MatMulInto(Tensor& c, const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b,
                bool accumulate) {
  const int64_t m = a.size(transpose_a ? 1 : 0), k = a.size(transpose_a ? 0 : 1);
  const int64_t n = b.size(transpose_b ? 0 : 1);
  LEMMA_CHECK(b.size(transpose_b ? 1 : 0) == k && c.numel() == m * n && c.IsContiguous(),
              "product of ", a.shape().ToString(), " and ", b.shape().ToString(), " into ",
              c.shape().ToString());
  kernels::MatMulCall product;
  product.dtype = a.dtype();
  product.out_dtype = c.dtype();
  product.m = m, product.n = n, product.k = k;
  product.a = OperandOf(a, transpose_a);
  product.b = OperandOf(b, transpose_b);
  product.c = c.mutable_raw_data();
  product.c_row = n;
  product.accumulate = accumulate;
  kernels::MatMul(product);
}

// ---- MatMul: inputs of rank 2 at least ----

namespace {

Shape BatchOf(const Tensor& x) { return Shape(x.shape().sizes().subspan(0, x.rank() - 2)); }

void MatMulShape(OpCall& call) {
  const Tensor &a = call.in(0), &b = call.in(1);
  Shape out;
  if (!Broadcast(BatchOf(a), BatchOf(b), &out)) {
    Fail(call.name(), "b: its leading dimensions ", BatchOf(b).ToString(),
         " must broadcast with those of a, ", BatchOf(a).ToString(), "; a is ",
         a.shape().ToString(), ", b is ", b.shape().ToString());
  }
  out.Append(a.size(-2));
  out.Append(b.size(-1));
  call.AddOutput(std::move(out), a.dtype());
}

Strides BatchStrides(const Tensor& x, const Shape& batch) {
  const Shape own = BatchOf(x);
  const Strides strides(x.strides().begin(), x.strides().end() - 2);
  return BroadcastStrides(own, strides, batch);
}

// Whether all matrices of `a` are rows of one: then one product serves a whole batch.
bool Folds(const Tensor& a, const Tensor& b) {
  return b.rank() == 2 && a.rank() > 2 && a.IsContiguous();
}

// Walks the batch dimensions but the last two, which go to the kernel.
void MultiplyBatch(kernels::MatMulCall product, const Tensor& a, const Tensor& b, const Tensor& c) {
  const Shape batch = BatchOf(c);
  const Strides a_strides = BatchStrides(a, batch), b_strides = BatchStrides(b, batch);
  const int outer = std::max(batch.rank() - 2, 0);
  product.c_batch[1] = product.m * product.n;
  for (int d = outer; d < batch.rank(); ++d) {
    const int slot = d - batch.rank() + 2;
    product.batch[slot] = batch[d];
    product.a.batch[slot] = a_strides[d];
    product.b.batch[slot] = b_strides[d];
  }
  product.c_batch[0] = product.batch[1] * product.c_batch[1];
  const auto* a_data = static_cast<const char*>(product.a.data);
  const auto* b_data = static_cast<const char*>(product.b.data);
  auto* c_data = static_cast<char*>(product.c);
  const int64_t size = static_cast<int64_t>(SizeOf(product.dtype));
  const int64_t count = Shape(batch.sizes().subspan(0, outer)).numel();
  for (int64_t index = 0; index < count; ++index) {
    int64_t rest = index, a_at = 0, b_at = 0;
    for (int d = outer - 1; d >= 0; --d) {
      a_at += rest % batch[d] * a_strides[d];
      b_at += rest % batch[d] * b_strides[d];
      rest /= batch[d];
    }
    product.a.data = a_data + a_at * size;
    product.b.data = b_data + b_at * size;
    product.c = c_data + index * product.batch[0] * product.c_batch[0] * size;
    kernels::MatMul(product);
  }
}

void MatMulForward(OpCall& call) {
  const Tensor &a = call.in(0), &b = call.in(1);
  if (call.NeedsGrad(0)) call.SaveInput(1);
  if (call.NeedsGrad(1)) call.SaveInput(0);
  Tensor& c = call.out(0);
  if (c.numel() == 0) return;
  kernels::MatMulCall product;
  product.dtype = a.dtype();
  product.out_dtype = c.dtype();
  product.m = a.size(-2), product.n = b.size(-1), product.k = a.size(-1);
  product.a = OperandOf(a);
  product.b = OperandOf(b);
  product.c = c.mutable_raw_data();
  product.c_row = product.n;
  if (Folds(a, b)) {
    product.m = c.numel() / product.n;
    product.a.row = product.k;
    kernels::MatMul(product);
  } else {
    MultiplyBatch(product, a, b, c);
  }
}

// c = a b: da = dc b^T (M N * N K), db = a^T dc (K M * M N)
void MatMulVjp(const VjpCall& call, GradSink& grads) {
  const Tensor& dc = call.dout(0);
  if (grads.Needs(0)) {
    const Tensor b = call.in(1);
    if (b.rank() == 2) {
      grads.AddProduct(0, AsMatrix(dc), false, b, true);
    } else {
      grads.Add(0, MatMul(dc, Transpose(b, -1, -2)));
    }
  }
  if (grads.Needs(1)) {
    const Tensor a = call.in(0);
    if (call.in_spec(1).shape.rank() == 2) {
      grads.AddProduct(1, AsMatrix(a), true, AsMatrix(dc), false);
    } else {
      grads.Add(1, MatMul(Transpose(a, -1, -2), dc));
    }
  }
}

}  // namespace

Tensor MatMul(Tensor a, Tensor b) {
  const char* op = kMatMul.name;
  CheckFloat(op, "a", a);
  CheckFloat(op, "b", b);
  CheckSameDType(op, "a", a, "b", b);
  CheckMinRank(op, "a", a, 1);
  CheckMinRank(op, "b", b, 1);
  const int64_t columns = a.size(-1), rows = b.size(b.rank() == 1 ? 0 : -2);
  if (columns != rows) {
    Fail(op, "b: its ", rows, " rows must equal the ", columns, " columns of a; a is ",
         a.shape().ToString(), ", b is ", b.shape().ToString());
  }
  const bool row = a.rank() == 1, column = b.rank() == 1;
  if (row) a = Unsqueeze(std::move(a), 0);
  if (column) b = Unsqueeze(std::move(b), 1);
  Tensor c = Call(kMatMul, {}, std::move(a), std::move(b));
  if (column) c = Squeeze(std::move(c), -1);
  if (row) c = Squeeze(std::move(c), column ? -1 : -2);
  return c;
}

const OpDef kMatMul = {
    .name = "matmul", .shape = MatMulShape, .forward = MatMulForward, .vjp = MatMulVjp};

// ---- Linear: inputs x, weight, bias or undefined ----

Tensor Linear(Tensor x, Tensor weight, Tensor bias) {
  return Call(kLinear, {}, std::move(x), std::move(weight), std::move(bias));
}

void LinearShape(OpCall& call) {
  const Tensor &x = call.in(0), &weight = call.in(1), &bias = call.in(2);
  const char* op = call.name();
  CheckFloat(op, "x", x);
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

namespace {

void LinearForward(OpCall& call) {
  const Tensor &x = call.dense(0), &weight = call.in(1);
  if (call.NeedsGrad(0)) call.SaveInput(1);
  if (call.NeedsGrad(1)) call.SaveInput(0);
  Tensor& y = call.out(0);
  const int64_t in = weight.size(1), out = weight.size(0);
  if (y.numel() == 0) return;
  kernels::MatMulCall product;
  product.dtype = x.dtype();
  product.out_dtype = y.dtype();
  product.m = y.numel() / out, product.n = out, product.k = in;
  product.a = {.data = x.raw_data(), .row = in, .col = 1};
  product.b = OperandOf(weight, /*transpose=*/true);
  product.c = y.mutable_raw_data();
  product.c_row = out;
  Tensor bias = call.dense(2);
  if (bias.defined()) {
    // The kernel adds a float32 bias to bfloat16 products.
    if (x.dtype() == DType::kBFloat16) bias = Cast(std::move(bias), DType::kFloat32);
    product.bias = bias.raw_data();
  }
  kernels::MatMul(product);
}

// y = x W^T + b: dx = dy W (N out * out in), dW = dy^T x (out N * N in), db = sum of dy over rows
void LinearVjp(const VjpCall& call, GradSink& grads) {
  const Tensor dy = AsMatrix(call.dout(0));
  if (grads.Needs(1)) grads.AddProduct(1, dy, true, AsMatrix(call.in(0)), false);
  if (grads.Needs(2)) grads.Add(2, Sum(dy, {0}));
  if (grads.Needs(0)) grads.AddProduct(0, dy, false, call.in(1), false);
}

}  // namespace

const OpDef kLinear = {
    .name = "linear", .shape = LinearShape, .forward = LinearForward, .vjp = LinearVjp};

}  // namespace lemma
