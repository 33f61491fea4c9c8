#include "autograd/ops/softmax.h"

#include <utility>

#include "autograd/kernels/softmax.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"

namespace lemma {
namespace {

// The kernels run along the last dimension; other ones are moved there and back.
Tensor AlongDim(const OpDef& op, Tensor x, int64_t dim) {
  CheckDefined(op.name, "x", x);
  const int last = x.rank() - 1;
  const int d = NormalizeDim(op.name, dim, x.rank());
  if (d == last || x.rank() == 0) return Call(op, {}, std::move(x));
  return Transpose(Call(op, {}, Transpose(std::move(x), d, last)), d, last);
}

void RowsShape(OpCall& call) {
  CheckFloat(call.name(), "x", call.in(0));
  call.AddOutput(call.in(0).shape(), call.in(0).dtype());
}

template <typename Kernel>
void ForEachRow(OpCall& call, Kernel kernel) {
  const Tensor& x = call.dense(0);
  Tensor& y = call.OutputOver(0, 0);
  const int64_t columns = x.rank() == 0 ? 1 : x.shape().back();
  if (x.numel() > 0) kernel(x.numel() / columns, columns, x, y);
  call.SaveOutput(0);
}

}  // namespace

Tensor Softmax(Tensor x, int64_t dim) { return AlongDim(kSoftmax, std::move(x), dim); }

namespace {

void SoftmaxForward(OpCall& call) {
  ForEachRow(call, [](int64_t rows, int64_t columns, const Tensor& x, Tensor& y) {
    VisitFloat(x.dtype(), [&]<typename T>() {
      kernels::SoftmaxForward<T>(rows, columns, x.data<T>(), y.mutable_data<T>());
    });
  });
}

// y = exp(x) / s: dy/dx = diag(y) - y y^T, so dx = y (dy - <dy, y>)
void SoftmaxVjp(const VjpCall& call, GradSink& grads) {
  const Tensor y = call.out(0);
  const Tensor y_dy = y * call.dout(0);
  grads.Add(0, y.rank() == 0 ? y_dy - y * y_dy : y_dy - y * Sum(y_dy, {-1}, /*keepdim=*/true));
}

}  // namespace

const OpDef kSoftmax = {
    .name = "softmax", .shape = RowsShape, .forward = SoftmaxForward, .vjp = SoftmaxVjp};

Tensor LogSoftmax(Tensor x, int64_t dim) { return AlongDim(kLogSoftmax, std::move(x), dim); }

namespace {

void LogSoftmaxForward(OpCall& call) {
  ForEachRow(call, [](int64_t rows, int64_t columns, const Tensor& x, Tensor& y) {
    VisitFloat(x.dtype(), [&]<typename T>() {
      kernels::LogSoftmaxForward<T>(rows, columns, x.data<T>(), y.mutable_data<T>());
    });
  });
}

// y = x - log s: dy/dx = I - 1 exp(y)^T, so dx = dy - exp(y) sum(dy)
void LogSoftmaxVjp(const VjpCall& call, GradSink& grads) {
  const Tensor dy = call.dout(0);
  const Tensor p = Exp(call.out(0));
  grads.Add(0, dy - p * (dy.rank() == 0 ? dy : Sum(dy, {-1}, /*keepdim=*/true)));
}

}  // namespace

const OpDef kLogSoftmax = {
    .name = "log_softmax", .shape = RowsShape, .forward = LogSoftmaxForward, .vjp = LogSoftmaxVjp};

}  // namespace lemma
