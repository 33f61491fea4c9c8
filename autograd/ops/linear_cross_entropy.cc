#include "autograd/ops/linear_cross_entropy.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "autograd/create.h"
#include "autograd/kernels/cross_entropy.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/mixed_linear.h"
#include "autograd/ops/views.h"

namespace lemma {
namespace {

// Rows whose logits are held at once. Fixed, so that sums are split the same way always.
constexpr int64_t kBlockRows = 512;

struct LinearCrossEntropyAttributes {
  CrossEntropyOptions loss;
  bool mixed;  // operands of products are rounded to bfloat16
};

// x as it goes into a product.
Tensor Operand(const Tensor& x, bool mixed) {
  return mixed && x.dtype() == DType::kFloat32 ? Cast(x.Detach(), DType::kBFloat16) : x.Detach();
}

Tensor Logits(Tensor x, Tensor weight, bool mixed) {
  if (!mixed || x.dtype() != DType::kFloat32) return Linear(std::move(x), std::move(weight));
  return MixedLinear(std::move(x), std::move(weight), {}, DType::kFloat32);
}

// Inputs: x (N, C), weight (V, C), targets (N). Output: the loss.
void LinearCrossEntropyShape(OpCall& call) { call.AddOutput({}, call.in(0).dtype()); }

int64_t CountKept(const Tensor& targets, int64_t ignore_index) {
  const int64_t* values = targets.data<int64_t>();
  return targets.numel() - std::count(values, values + targets.numel(), ignore_index);
}

template <typename T>
void Forward(OpCall& call) {
  const auto& attributes = call.attributes<LinearCrossEntropyAttributes>();
  const CrossEntropyOptions& options = attributes.loss;
  const bool mixed = attributes.mixed;
  const Tensor &x = call.dense(0), &weight = call.dense(1), &targets = call.dense(2);
  const int64_t rows = x.size(0), classes = weight.size(0);
  T scale = 1;
  if (options.reduction == Reduction::kMean) {
    scale /= static_cast<T>(CountKept(targets, options.ignore_index));
  }
  const int64_t block_rows = std::min(rows, kBlockRows);
  Tensor logits = Tensor::Empty({block_rows, classes}, x.dtype());
  Tensor losses = Tensor::Empty({block_rows}, x.dtype());
  Tensor lse = Tensor::Empty({block_rows}, x.dtype());
  Tensor dx, dweight;
  if (call.NeedsGrad(0)) dx = Tensor::Empty(x.shape(), x.dtype());
  if (call.NeedsGrad(1)) {
    // The first block stores, the others add; without rows there is none.
    dweight = rows > 0 ? Tensor::Empty(weight.shape(), x.dtype()) : ZerosLike(weight);
  }
  const Tensor matrix = mixed ? RoundedCopy(weight) : weight.Detach();
  double sum = 0;
  for (int64_t begin = 0; begin < rows; begin += block_rows) {
    const int64_t count = std::min(block_rows, rows - begin);
    const Tensor x_block = Operand(Slice(x.Detach(), 0, begin, begin + count), mixed);
    Tensor block = Slice(logits, 0, 0, count);
    MatMulInto(block, x_block, false, matrix, true, /*accumulate=*/false);
    const int64_t* labels = targets.data<int64_t>() + begin;
    kernels::CrossEntropyForward<T>(count, classes, block.data<T>(), labels, options.ignore_index,
                                    options.label_smoothing, losses.mutable_data<T>(),
                                    lse.mutable_data<T>());
    for (int64_t i = 0; i < count; ++i) sum += losses.data<T>()[i];
    if (!call.NeedsGrad(0) && !call.NeedsGrad(1)) continue;
    kernels::CrossEntropyBackward<T>(count, classes, block.data<T>(), labels, options.ignore_index,
                                     options.label_smoothing, lse.data<T>(), &scale, 0,
                                     block.mutable_data<T>());
    const Tensor dlogits = Operand(block, mixed);
    if (dx.defined()) {
      Tensor dx_block = Slice(dx, 0, begin, begin + count);
      MatMulInto(dx_block, dlogits, false, matrix, false, /*accumulate=*/false);
    }
    if (dweight.defined()) {
      MatMulInto(dweight, dlogits, true, x_block, false, /*accumulate=*/begin > 0);
    }
  }
  if (options.reduction == Reduction::kMean) {
    sum /= static_cast<double>(CountKept(targets, options.ignore_index));
  }
  *call.out(0).mutable_data<T>() = static_cast<T>(sum);
  if (mixed && call.recording()) DropRoundedCopy(weight);
  call.Save(dx);
  call.Save(dweight);
}

void LinearCrossEntropyForward(OpCall& call) {
  if (call.in(0).dtype() == DType::kFloat64) {
    Forward<double>(call);
  } else {
    Forward<float>(call);
  }
}

// The forward computed the gradients for dloss = 1.
void LinearCrossEntropyVjp(const VjpCall& call, GradSink& grads) {
  const double dloss = call.dout(0).Item();
  for (int i = 0; i < 2; ++i) {
    if (!grads.Needs(i)) continue;
    grads.Add(i, dloss == 1 ? call.extra(i) : call.extra(i) * dloss);
  }
}

TensorList LinearCrossEntropyComposite(const TensorList& inputs, const Attributes& attributes) {
  const auto& as = attributes.As<LinearCrossEntropyAttributes>();
  return {CrossEntropy(Logits(inputs[0], inputs[1], as.mixed), inputs[2], as.loss)};
}

}  // namespace

Tensor LinearCrossEntropy(Tensor x, Tensor weight, Tensor targets,
                          const CrossEntropyOptions& options, DType compute) {
  const char* op = kLinearCrossEntropy.name;
  const bool mixed = compute == DType::kBFloat16;
  CheckFloat(op, "x", x);
  CheckRank(op, "x", x, 2);
  CheckRank(op, "weight", weight, 2);
  CheckSameDType(op, "x", x, "weight", weight);
  CheckDefined(op, "targets", targets);
  if (x.size(1) != weight.size(1)) {
    Fail(op, "x: its width ", x.size(1), " must equal the ", weight.size(1),
         " columns of weight (V, C); x is ", x.shape().ToString(), ", weight is ",
         weight.shape().ToString());
  }
  CheckShape(op, "targets", targets, {x.size(0)});
  CheckOptions(op, options);
  if (options.reduction == Reduction::kNone || x.dtype() == DType::kBFloat16) {
    Tensor logits = Logits(std::move(x), std::move(weight), mixed);
    return CrossEntropy(std::move(logits), std::move(targets), options);
  }
  CheckTargets(op, targets, weight.size(0), options.ignore_index);
  const LinearCrossEntropyAttributes attributes{options, mixed};
  return Call(kLinearCrossEntropy, attributes, std::move(x), std::move(weight), std::move(targets));
}

const OpDef kLinearCrossEntropy = {.name = "linear_cross_entropy",
                                   .shape = LinearCrossEntropyShape,
                                   .forward = LinearCrossEntropyForward,
                                   .vjp = LinearCrossEntropyVjp,
                                   .composite = LinearCrossEntropyComposite};

}  // namespace lemma
