#include "autograd/ops/layer_norm.h"

#include <utility>

#include "autograd/create.h"
#include "autograd/kernels/layer_norm.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"

namespace lemma {
namespace {

struct LayerNormAttributes {
  int64_t columns;  // C: elements that are normalised together
  double eps;
};

// Inputs of the op: x of any shape, weight (C) or undefined, bias (C) or undefined.
void LayerNormShape(OpCall& call) {
  const Tensor& x = call.in(0);
  CheckFloat(call.name(), "x", x);
  for (int i = 1; i <= 2; ++i) {
    if (call.in(i).defined()) {
      CheckSameDType(call.name(), "x", x, i == 1 ? "weight" : "bias", call.in(i));
    }
  }
  call.AddOutput(x.shape(), x.dtype());
}

template <typename T>
const T* DataOrNull(const Tensor& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

template <typename T>
T* MutableDataOrNull(Tensor& x) {
  return x.defined() ? x.mutable_data<T>() : nullptr;
}

Tensor ContiguousOrUndefined(const Tensor& x) { return x.defined() ? x.DetachedContiguous() : x; }

void LayerNormForward(OpCall& call) {
  const auto& attributes = call.attributes<LayerNormAttributes>();
  const int64_t columns = attributes.columns;
  const Tensor& x = call.dense(0);
  const Tensor& weight = call.dense(1);
  const Tensor& bias = call.dense(2);
  const int64_t rows = columns == 0 ? 0 : x.numel() / columns;
  Tensor& y = call.OutputOver(0, 0);
  VisitFloat(x.dtype(), [&]<typename T>() {
    using A = Accumulator<T>;
    Tensor mean, rstd;
    if (call.recording()) {
      mean = Tensor::Empty({rows}, DTypeOf<A>());
      rstd = Tensor::Empty({rows}, DTypeOf<A>());
    }
    if (rows > 0) {
      kernels::LayerNormForward<T>(rows, columns, x.data<T>(), DataOrNull<T>(weight),
                                   DataOrNull<T>(bias), attributes.eps, y.mutable_data<T>(),
                                   MutableDataOrNull<A>(mean), MutableDataOrNull<A>(rstd));
    }
    call.Save(mean);
    call.Save(rstd);
  });
}

// With n = (x - mean) rstd and g = dy weight:
//   dx = rstd (g - mean(g) - n mean(g n)), dweight = sum of dy n over rows, dbias = sum of dy
void LayerNormVjp(const VjpCall& call, GradSink& grads) {
  const int64_t columns = call.attributes<LayerNormAttributes>().columns;
  const Tensor x = call.in(0).DetachedContiguous();
  const Tensor weight = ContiguousOrUndefined(call.in(1));
  const int64_t rows = columns == 0 ? 0 : x.numel() / columns;
  Tensor dy = call.TakeDout(0).DetachedContiguous();
  Tensor dx, dweight, dbias;
  if (grads.Needs(0)) dx = dy.IsSoleOwner() ? dy : Tensor::Empty(x.shape(), x.dtype());
  if (grads.Needs(1)) dweight = Zeros({columns}, x.dtype());
  if (grads.Needs(2)) dbias = Zeros({columns}, x.dtype());
  VisitFloat(x.dtype(), [&]<typename T>() {
    using A = Accumulator<T>;
    if (rows > 0) {
      kernels::LayerNormBackward<T>(
          rows, columns, dy.data<T>(), x.data<T>(), DataOrNull<T>(weight), call.extra(0).data<A>(),
          call.extra(1).data<A>(), MutableDataOrNull<T>(dx),
          /*accumulate_dx=*/false, MutableDataOrNull<T>(dweight), MutableDataOrNull<T>(dbias));
    }
  });
  dy = Tensor();
  if (dx.defined()) grads.Add(0, std::move(dx));
  if (dweight.defined()) grads.Add(1, std::move(dweight));
  if (dbias.defined()) grads.Add(2, std::move(dbias));
}

TensorList LayerNormComposite(const TensorList& inputs, const Attributes& attributes) {
  const auto& [columns, eps] = attributes.As<LayerNormAttributes>();
  const Tensor& x = inputs[0];
  const Tensor rows = Reshape(x, {columns == 0 ? 0 : x.numel() / columns, columns});
  const Tensor centered = rows - Mean(rows, {-1}, /*keepdim=*/true);
  const Tensor variance = Mean(centered * centered, {-1}, /*keepdim=*/true);
  Tensor y = centered * Rsqrt(variance + eps);
  if (inputs[1].defined()) y = y * inputs[1];
  if (inputs[2].defined()) y = y + inputs[2];
  return {Reshape(y, x.shape())};
}

}  // namespace

Tensor LayerNorm(Tensor x, absl::Span<const int64_t> normalized_shape, Tensor weight, Tensor bias,
                 double eps) {
  const Shape normalized(normalized_shape);
  const char* op = kLayerNorm.name;
  CheckDefined(op, "x", x);
  if (normalized.rank() == 0) {
    Fail(op, "normalized_shape: it must name at least one dimension; x is ", x.shape().ToString());
  }
  const int first = x.rank() - normalized.rank();
  bool fits = first >= 0;
  for (int i = 0; fits && i < normalized.rank(); ++i) fits = x.shape()[first + i] == normalized[i];
  if (!fits) {
    Fail(op, "x: its last dimensions must be ", normalized.ToString(), "; x is ",
         x.shape().ToString());
  }
  const int64_t columns = normalized.numel();
  if (weight.defined()) {
    CheckShape(op, "weight", weight, normalized);
    weight = Reshape(std::move(weight), {columns});
  }
  if (bias.defined()) {
    CheckShape(op, "bias", bias, normalized);
    bias = Reshape(std::move(bias), {columns});
  }
  return Call(kLayerNorm, LayerNormAttributes{columns, eps}, std::move(x), std::move(weight),
              std::move(bias));
}

const OpDef kLayerNorm = {.name = "layer_norm",
                          .shape = LayerNormShape,
                          .forward = LayerNormForward,
                          .vjp = LayerNormVjp,
                          .composite = LayerNormComposite,
                          .cheap = true};

}  // namespace lemma
