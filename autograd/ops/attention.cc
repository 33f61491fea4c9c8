#include "autograd/ops/attention.h"

#include <cmath>
#include <limits>
#include <utility>

#include "autograd/create.h"
#include "autograd/kernels/attention.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"

namespace lemma {
namespace {

struct AttentionAttributes {
  double scale;
  bool causal;
  double keep_scale;
  int64_t heads;  // of packed attention
};

AttentionOptions OptionsOf(const AttentionAttributes& attributes, Tensor mask, Tensor keep) {
  return {.causal = attributes.causal,
          .mask = std::move(mask),
          .scale = attributes.scale,
          .keep = std::move(keep),
          .keep_scale = attributes.keep_scale};
}

// bool (T, S): whether the causal mask hides key j from query i.
Tensor CausalHidden(int64_t queries, int64_t keys) {
  Tensor hidden = Tensor::Empty({queries, keys}, DType::kBool);
  bool* values = hidden.mutable_data<bool>();
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) values[i * keys + j] = j > i + keys - queries;
  }
  return hidden;
}

}  // namespace

Tensor AttentionDefinition(const Tensor& q, const Tensor& k, const Tensor& v,
                           const AttentionOptions& options, Tensor* weights) {
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(q.size(-1))));
  Tensor scores = MatMul(q, Transpose(k, -1, -2)) * scale;  // (..., T, S)
  Tensor hidden;  // broadcasts to (..., T, S): which keys are not seen
  if (options.causal) hidden = CausalHidden(q.size(-2), k.size(-2));
  if (options.mask.defined()) {
    const bool keeps = options.mask.dtype() == DType::kBool;
    const Tensor by_mask = keeps ? LogicalNot(options.mask)
                                 : Equal(options.mask, -std::numeric_limits<double>::infinity());
    if (!keeps) scores = scores + MaskedFill(options.mask, by_mask, 0);
    hidden = hidden.defined() ? LogicalOr(hidden, by_mask) : by_mask;
  }
  Tensor a;
  if (hidden.defined()) {
    // Rows in which nothing is seen would be 0 / 0: their scores stay as they are, and their
    // weights are made 0 afterwards.
    hidden = Expand(hidden, scores.shape());
    const Tensor unseen = Equal(
        Sum(Cast(LogicalNot(hidden), DType::kInt64), {-1}, /*keepdim=*/true), 0);  // (..., T, 1)
    const Tensor fill = LogicalAnd(hidden, LogicalNot(unseen));
    a = Softmax(MaskedFill(scores, fill, -std::numeric_limits<double>::infinity()), -1);
    a = MaskedFill(a, unseen, 0);
  } else {
    a = Softmax(scores, -1);
  }
  if (weights != nullptr) *weights = a;
  if (options.keep.defined())
    a = ApplyDropout(a, Expand(options.keep, a.shape()), options.keep_scale);
  return MatMul(a, v);
}

namespace {

template <typename T>
kernels::HeadView<const T> ViewOf(const Tensor& x) {
  const Strides& strides = x.strides();
  return {x.data<T>(), strides[0], strides[1], strides[2]};
}

template <typename T>
kernels::HeadView<T> MutableViewOf(Tensor& x) {
  const Strides& strides = x.strides();
  return {x.mutable_data<T>(), strides[0], strides[1], strides[2]};
}

// The tensor itself where elements along the last dimension are neighbours, as the kernels want.
Tensor WithUnitStride(const Tensor& x) {
  return x.rank() > 0 && (x.strides().back() == 1 || x.shape().back() == 1)
             ? x.Detach()
             : x.DetachedContiguous();
}

template <typename T>
void SetMask(const Tensor& mask, const Shape& scores, kernels::AttentionArgs<T>& args) {
  if (!mask.defined()) return;
  const Strides strides = BroadcastStrides(mask.shape(), mask.strides(), scores);
  if (mask.dtype() == DType::kBool) {
    args.mask.keep = mask.data<bool>();
  } else {
    args.mask.bias = mask.data<T>();
  }
  args.mask.batch_stride = strides[0];
  args.mask.head_stride = strides[1];
  args.mask.query_stride = strides[2];
  args.mask.key_stride = strides[3];
}

template <typename T>
kernels::AttentionArgs<T> ArgsOf(const Tensor& q, const Tensor& k, const Tensor& v,
                                 const Tensor& mask, const Tensor& keep,
                                 const AttentionAttributes& attributes) {
  kernels::AttentionArgs<T> args;
  args.batch = q.shape()[0];
  args.heads = q.shape()[1];
  args.queries = q.shape()[2];
  args.keys = k.shape()[2];
  args.width = q.shape()[3];
  args.q = ViewOf<T>(q);
  args.k = ViewOf<T>(k);
  args.v = ViewOf<T>(v);
  args.scale = attributes.scale;
  args.causal = attributes.causal;
  SetMask<T>(mask, {args.batch, args.heads, args.queries, args.keys}, args);
  if (keep.defined()) args.dropout_keep = keep.data<float>();
  args.dropout_scale = attributes.keep_scale;
  return args;
}

// What the kernels get of q, k, v (B, H, T, D), the mask and the dropout mask.
struct Operands {
  Tensor q, k, v, mask, keep;
};

Tensor DenseKeep(const Tensor& keep) { return keep.defined() ? keep.DetachedContiguous() : keep; }

// Writes `out` (B, H, T, D), any strides, and returns lse (B, H, T).
Tensor RunForward(const Operands& in, const AttentionAttributes& attributes, Tensor& out) {
  return VisitFloat(in.q.dtype(), [&]<typename T>() {
    Tensor lse = Tensor::Empty({in.q.shape()[0], in.q.shape()[1], in.q.shape()[2]},
                               DTypeOf<Accumulator<T>>());
    if (out.numel() > 0) {
      kernels::AttentionForward<T>(ArgsOf<T>(in.q, in.k, in.v, in.mask, in.keep, attributes),
                                   MutableViewOf<T>(out), lse.mutable_data<Accumulator<T>>());
    }
    return lse;
  });
}

void RunBackward(const Operands& in, const AttentionAttributes& attributes, const Tensor& out,
                 const Tensor& dout, const Tensor& lse, Tensor& dq, Tensor& dk, Tensor& dv) {
  VisitFloat(in.q.dtype(), [&]<typename T>() {
    kernels::AttentionBackward<T>(
        ArgsOf<T>(in.q, in.k, in.v, in.mask, in.keep, attributes), ViewOf<T>(out), ViewOf<T>(dout),
        lse.data<Accumulator<T>>(),
        {MutableViewOf<T>(dq), MutableViewOf<T>(dk), MutableViewOf<T>(dv)});
  });
}

// ---- q, k, v apart: inputs q, k, v of rank 4, mask, keep ----

void AttentionShape(OpCall& call) {
  const Tensor &q = call.in(0), &k = call.in(1), &v = call.in(2);
  CheckFloat(call.name(), "q", q);
  CheckSameDType(call.name(), "q", q, "k", k);
  CheckSameDType(call.name(), "q", q, "v", v);
  call.AddOutput(q.shape(), q.dtype());
}

void AttentionForward(OpCall& call) {
  const Operands in{WithUnitStride(call.in(0)), WithUnitStride(call.in(1)),
                    WithUnitStride(call.in(2)), call.in(3), DenseKeep(call.in(4))};
  call.Save(RunForward(in, call.attributes<AttentionAttributes>(), call.out(0)));
  call.SaveOutput(0);
}

// With A = softmax(S), S = scale q k^T, O = A v, row by row:
//   dv = A^T dO, dA = dO v^T, dS = A (dA - sum(dA A)), dq = scale dS k, dk = scale dS^T q,
// and sum(dA A) = sum(dO O), so that A need not be kept.
void AttentionVjp(const VjpCall& call, GradSink& grads) {
  const Operands in{WithUnitStride(call.in(0)), WithUnitStride(call.in(1)),
                    WithUnitStride(call.in(2)), call.in(3), DenseKeep(call.in(4))};
  Tensor dq = Tensor::Empty(in.q.shape(), in.q.dtype());
  Tensor dk = Zeros(in.k.shape(), in.k.dtype());
  Tensor dv = Zeros(in.v.shape(), in.v.dtype());
  if (in.q.numel() > 0) {
    RunBackward(in, call.attributes<AttentionAttributes>(), call.out(0),
                WithUnitStride(call.dout(0)), call.extra(0), dq, dk, dv);
  }
  grads.Add(0, std::move(dq));
  grads.Add(1, std::move(dk));
  grads.Add(2, std::move(dv));
}

TensorList AttentionComposite(const TensorList& inputs, const Attributes& attributes) {
  return {
      AttentionDefinition(inputs[0], inputs[1], inputs[2],
                          OptionsOf(attributes.As<AttentionAttributes>(), inputs[3], inputs[4]))};
}

// (..., rows, width) as (B, H, rows, width): a view where strides allow.
Tensor AsRank4(const Tensor& x) {
  if (x.rank() == 4) return x;
  if (x.rank() == 2) return Unsqueeze(Unsqueeze(x, 0), 0);
  if (x.rank() == 3) return Unsqueeze(x, 1);
  return Reshape(x, {-1, 1, x.size(-2), x.size(-1)});
}

// A mask that broadcasts to `scores` (..., T, S), seen at rank 4.
Tensor MaskAsRank4(const char* op, const char* argument, const Tensor& mask, const Shape& scores) {
  if (!mask.defined()) return mask;
  CheckBroadcastsTo(op, argument, mask.shape(), scores);
  return AsRank4(Expand(mask, scores));
}

// Whether the kernel computes it: q, k and v of one width, a mask without gradient.
bool HasKernel(const Tensor& q, const Tensor& v, const Tensor& mask) {
  return q.size(-1) == v.size(-1) && q.size(-1) > 0 && !mask.requires_grad();
}

void CheckAttention(const char* op, const Tensor& q, const Tensor& k, const Tensor& v) {
  CheckMinRank(op, "q", q, 2);
  CheckMinRank(op, "k", k, 2);
  CheckMinRank(op, "v", v, 2);
  Shape leading = q.shape();
  leading.Erase(q.rank() - 1);
  leading.Erase(q.rank() - 2);
  for (const Tensor* x : {&k, &v}) {
    bool same = x->rank() == q.rank();
    for (int i = 0; same && i < leading.rank(); ++i) same = x->shape()[i] == leading[i];
    if (!same) {
      Fail(op, x == &k ? "k" : "v", ": its leading dimensions must be those of q, ",
           leading.ToString(), "; it is ", x->shape().ToString(), "; Expand it");
    }
  }
  if (k.size(-1) != q.size(-1)) {
    Fail(op, "k: its width ", k.size(-1), " must equal the width ", q.size(-1), " of q; q is ",
         q.shape().ToString(), ", k is ", k.shape().ToString());
  }
  if (v.size(-2) != k.size(-2)) {
    Fail(op, "v: its ", v.size(-2), " rows must equal the ", k.size(-2), " rows of k; k is ",
         k.shape().ToString(), ", v is ", v.shape().ToString());
  }
}

}  // namespace

Tensor ScaledDotProductAttention(Tensor q, Tensor k, Tensor v, const AttentionOptions& options) {
  const char* op = kAttention.name;
  CheckAttention(op, q, k, v);
  if (options.mask.defined() && options.mask.dtype() != DType::kBool) {
    CheckSameDType(op, "q", q, "mask", options.mask);
  }
  if (options.keep.defined()) CheckDropoutMask(op, "keep", options.keep);
  if (!HasKernel(q, v, options.mask)) return AttentionDefinition(q, k, v, options);
  Shape scores = q.shape();
  scores[q.rank() - 1] = k.size(-2);
  Shape out = q.shape();
  AttentionAttributes attributes{
      .scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(q.size(-1)))),
      .causal = options.causal,
      .keep_scale = options.keep_scale,
      .heads = 0};
  Tensor y = Call(kAttention, attributes, AsRank4(q), AsRank4(k), AsRank4(v),
                  MaskAsRank4(op, "mask", options.mask, scores),
                  MaskAsRank4(op, "keep", options.keep, scores));
  return out.rank() == 4 ? y : Reshape(std::move(y), out);
}

const OpDef kAttention = {.name = "scaled_dot_product_attention",
                          .shape = AttentionShape,
                          .forward = AttentionForward,
                          .vjp = AttentionVjp,
                          .composite = AttentionComposite};

// ---- q, k, v packed: inputs qkv (B, T, 3C), keep (B, H, T, T) or undefined ----

namespace {

// Part `part` of x (B, T, parts * C) as (B, H, T, D), a view.
Tensor Heads(const Tensor& x, int64_t heads, int part, int parts) {
  const int64_t b = x.shape()[0], t = x.shape()[1];
  const int64_t width = x.shape()[2] / parts;
  const Strides& s = x.strides();
  return Tensor::View(x.storage(), x.dtype(), {b, heads, t, width / heads},
                      {s[0], width / heads, s[1], 1}, x.offset() + part * width);
}

Operands PackedOperands(const Tensor& qkv, const Tensor& keep, int64_t heads) {
  return {Heads(qkv, heads, 0, 3), Heads(qkv, heads, 1, 3), Heads(qkv, heads, 2, 3), Tensor(),
          DenseKeep(keep)};
}

void PackedShape(OpCall& call) {
  const Tensor& qkv = call.in(0);
  CheckFloat(call.name(), "qkv", qkv);
  call.AddOutput({qkv.shape()[0], qkv.shape()[1], qkv.shape()[2] / 3}, qkv.dtype());
}

void PackedForward(OpCall& call) {
  const auto& attributes = call.attributes<AttentionAttributes>();
  const Operands in = PackedOperands(call.dense(0), call.in(1), attributes.heads);
  Tensor out = Heads(call.out(0), attributes.heads, 0, 1);
  call.Save(RunForward(in, attributes, out));
  call.SaveOutput(0);
}

void PackedVjp(const VjpCall& call, GradSink& grads) {
  const auto& attributes = call.attributes<AttentionAttributes>();
  const Tensor qkv = call.in(0).DetachedContiguous();
  const Operands in = PackedOperands(qkv, call.in(1), attributes.heads);
  Tensor dqkv = Tensor::Empty(qkv.shape(), qkv.dtype());
  if (qkv.numel() > 0) {
    Tensor dq = Heads(dqkv, attributes.heads, 0, 3);
    Tensor dk = Heads(dqkv, attributes.heads, 1, 3);
    Tensor dv = Heads(dqkv, attributes.heads, 2, 3);
    RunBackward(in, attributes, Heads(call.out(0), attributes.heads, 0, 1),
                Heads(call.dout(0).DetachedContiguous(), attributes.heads, 0, 1), call.extra(0), dq,
                dk, dv);
  }
  grads.Add(0, std::move(dqkv));
}

TensorList PackedComposite(const TensorList& inputs, const Attributes& attributes) {
  const auto& packed = attributes.As<AttentionAttributes>();
  const Tensor& qkv = inputs[0];
  const int64_t b = qkv.size(0), t = qkv.size(1), c = qkv.size(2) / 3;
  Tensor parts[3];
  for (int i = 0; i < 3; ++i) {
    const Tensor part = Slice(qkv, 2, i * c, (i + 1) * c);
    parts[i] = Transpose(Reshape(part, {b, t, packed.heads, c / packed.heads}), 1, 2);
  }
  const Tensor y =
      AttentionDefinition(parts[0], parts[1], parts[2], OptionsOf(packed, Tensor(), inputs[1]));
  return {Reshape(Transpose(y, 1, 2), {b, t, c})};
}

}  // namespace

Tensor PackedAttention(Tensor qkv, int64_t heads, const AttentionOptions& options) {
  const char* op = kPackedAttention.name;
  CheckRank(op, "qkv", qkv, 3);
  if (heads <= 0 || qkv.size(2) % (3 * heads) != 0) {
    Fail(op, "heads: the last dimension of qkv, ", qkv.size(2), ", must be 3 times a multiple of ",
         heads, " heads; qkv is ", qkv.shape().ToString());
  }
  if (options.mask.defined()) {
    Fail(op, "mask: packed attention takes none; use ScaledDotProductAttention");
  }
  if (options.keep.defined()) {
    CheckDropoutMask(op, "keep", options.keep);
    CheckShape(op, "keep", options.keep, {qkv.size(0), heads, qkv.size(1), qkv.size(1)});
  }
  const int64_t width = qkv.size(2) / (3 * heads);
  AttentionAttributes attributes{
      .scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(width))),
      .causal = options.causal,
      .keep_scale = options.keep_scale,
      .heads = heads};
  return Call(kPackedAttention, attributes, std::move(qkv), options.keep);
}

const OpDef kPackedAttention = {.name = "packed_attention",
                                .shape = PackedShape,
                                .forward = PackedForward,
                                .vjp = PackedVjp,
                                .composite = PackedComposite};

}  // namespace lemma
