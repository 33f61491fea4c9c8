#include "autograd/ops/cross_entropy.h"

#include <limits>
#include <utility>
#include <vector>

#include "autograd/kernels/cross_entropy.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/index.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"

namespace lemma {

void CheckOptions(const char* op, const CrossEntropyOptions& options) {
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    Fail(op, "label_smoothing: it must be in [0, 1]; it is ", options.label_smoothing);
  }
}

void CheckTargets(const char* op, const Tensor& targets, int64_t classes, int64_t ignore_index) {
  CheckIndex(op, "targets", targets);
  const Tensor dense = targets.DetachedContiguous();
  const int64_t* values = dense.data<int64_t>();
  for (int64_t i = 0; i < dense.numel(); ++i) {
    if (values[i] == ignore_index || (values[i] >= 0 && values[i] < classes)) continue;
    Fail(op, "targets: the value ", values[i], " at position ", i, " is not in [0, ", classes,
         "), the classes of the logits");
  }
}

namespace {

int64_t CountKept(const Tensor& targets, int64_t ignore_index) {
  const Tensor dense = targets.DetachedContiguous();
  const int64_t* values = dense.data<int64_t>();
  int64_t kept = 0;
  for (int64_t i = 0; i < dense.numel(); ++i) kept += values[i] != ignore_index;
  return kept;
}

// Inputs of the op: logits (N, V), targets (N).
void CrossEntropyShape(OpCall& call) {
  const auto& options = call.attributes<CrossEntropyOptions>();
  const Tensor& logits = call.in(0);
  if (options.reduction == Reduction::kNone) {
    call.AddOutput({logits.shape()[0]}, logits.dtype());
  } else {
    call.AddOutput({}, logits.dtype());
  }
}

void CrossEntropyForward(OpCall& call) {
  const auto& options = call.attributes<CrossEntropyOptions>();
  const Tensor& logits = call.dense(0);
  const Tensor& targets = call.dense(1);
  const int64_t rows = logits.shape()[0], classes = logits.shape()[1];
  VisitFloat(logits.dtype(), [&]<typename T>() {
    const bool none = options.reduction == Reduction::kNone;
    Tensor losses = none ? call.out(0) : Tensor::Empty({rows}, logits.dtype());
    Tensor lse = Tensor::Empty({rows}, logits.dtype());
    if constexpr (!std::is_same_v<T, BFloat16>) {
      kernels::CrossEntropyForward<T>(rows, classes, logits.data<T>(), targets.data<int64_t>(),
                                      options.ignore_index, options.label_smoothing,
                                      losses.mutable_data<T>(), lse.mutable_data<T>());
      call.Save(lse);
      if (none) return;
      double sum = 0;
      for (int64_t i = 0; i < rows; ++i) sum += losses.data<T>()[i];
      if (options.reduction == Reduction::kMean) {
        sum /= static_cast<double>(CountKept(targets, options.ignore_index));
      }
      *call.out(0).mutable_data<T>() = static_cast<T>(sum);
    }
  });
}

// dlogits = dloss (softmax(logits) - (1 - e) onehot - e / V), over the number of rows for a mean
void CrossEntropyVjp(const VjpCall& call, GradSink& grads) {
  const auto& options = call.attributes<CrossEntropyOptions>();
  const Tensor logits = call.in(0).DetachedContiguous();
  const Tensor targets = call.in(1).DetachedContiguous();
  const int64_t rows = logits.shape()[0], classes = logits.shape()[1];
  Tensor scale = call.dout(0);
  if (options.reduction == Reduction::kMean) {
    scale = scale / static_cast<double>(CountKept(targets, options.ignore_index));
  }
  scale = scale.DetachedContiguous();
  Tensor dlogits = Tensor::Empty(logits.shape(), logits.dtype());
  VisitFloat(logits.dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, BFloat16>) {
      kernels::CrossEntropyBackward<T>(
          rows, classes, logits.data<T>(), targets.data<int64_t>(), options.ignore_index,
          options.label_smoothing, call.extra(0).data<T>(), scale.data<T>(),
          options.reduction == Reduction::kNone ? 1 : 0, dlogits.mutable_data<T>());
    }
  });
  grads.Add(0, std::move(dlogits));
}

TensorList CrossEntropyComposite(const TensorList& inputs, const Attributes& attributes) {
  const auto& options = attributes.As<CrossEntropyOptions>();
  const Tensor& targets = inputs[1];
  const Tensor ignored = Equal(targets, static_cast<double>(options.ignore_index));
  const Tensor log_p = LogSoftmax(inputs[0], 1);                       // (N, V)
  const Tensor index = Unsqueeze(MaskedFill(targets, ignored, 0), 1);  // (N, 1)
  Tensor losses = -Squeeze(Gather(log_p, 1, index), 1);                // (N)
  if (options.label_smoothing != 0) {
    losses = losses * (1 - options.label_smoothing) - Mean(log_p, {1}) * options.label_smoothing;
  }
  losses = MaskedFill(losses, ignored, 0);
  if (options.reduction == Reduction::kNone) return {losses};
  Tensor loss = Sum(losses);
  if (options.reduction == Reduction::kMean) {
    loss = loss / static_cast<double>(CountKept(targets, options.ignore_index));
  }
  return {loss};
}

// Targets that are probabilities: -sum p log softmax(logits), a composition of plain ops.
Tensor WithProbabilities(const Tensor& logits, Tensor targets, int class_dim,
                         const CrossEntropyOptions& options) {
  CheckSameDType(kCrossEntropy.name, "logits", logits, "targets", targets);
  const int64_t classes = logits.rank() == 0 ? 1 : logits.size(class_dim);
  if (options.label_smoothing != 0) {
    targets = targets * (1 - options.label_smoothing) +
              options.label_smoothing / static_cast<double>(classes);
  }
  const Tensor losses = -Sum(targets * LogSoftmax(logits, class_dim), {class_dim});
  if (options.reduction == Reduction::kNone) return losses;
  const Tensor sum = Sum(losses);
  if (options.reduction == Reduction::kSum) return sum;
  return sum / static_cast<double>(logits.numel() / classes);
}

// Logits as (N, V): classes moved to the end, all other dimensions joined.
Tensor AsRows(const Tensor& logits) {
  if (logits.rank() == 1) return Unsqueeze(logits, 0);
  if (logits.rank() == 2) return logits;
  std::vector<int64_t> order{0};
  for (int i = 2; i < logits.rank(); ++i) order.push_back(i);
  order.push_back(1);
  const int64_t classes = logits.size(1);
  return Reshape(Permute(logits, order), {logits.numel() / (classes == 0 ? 1 : classes), classes});
}

}  // namespace

Tensor CrossEntropy(Tensor logits, Tensor targets, const CrossEntropyOptions& options) {
  const char* op = kCrossEntropy.name;
  CheckFloat(op, "logits", logits);
  CheckMinRank(op, "logits", logits, 1);
  CheckDefined(op, "targets", targets);
  CheckOptions(op, options);
  if (logits.dtype() == DType::kBFloat16) logits = Cast(std::move(logits), DType::kFloat32);
  const int class_dim = logits.rank() == 1 ? 0 : 1;
  if (IsFloat(targets.dtype()) && targets.shape() == logits.shape()) {
    return WithProbabilities(logits, std::move(targets), class_dim, options);
  }
  Shape expected = logits.shape();
  expected.Erase(class_dim);
  if (targets.shape() != expected) {
    Fail(op, "targets: they must be ", expected.ToString(), " for logits ",
         logits.shape().ToString(), ", classes along dimension ", class_dim, "; they are ",
         targets.shape().ToString());
  }
  CheckTargets(op, targets, logits.size(class_dim), options.ignore_index);
  const int64_t rows = targets.numel();
  Tensor loss = Call(kCrossEntropy, options, AsRows(logits), Reshape(targets, {rows}));
  return options.reduction == Reduction::kNone ? Reshape(std::move(loss), expected) : loss;
}

const OpDef kCrossEntropy = {.name = "cross_entropy",
                             .shape = CrossEntropyShape,
                             .forward = CrossEntropyForward,
                             .vjp = CrossEntropyVjp,
                             .composite = CrossEntropyComposite};

}  // namespace lemma
