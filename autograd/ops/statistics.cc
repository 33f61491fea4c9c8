#include "autograd/ops/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "autograd/create.h"
#include "autograd/node.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/extremes.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/pow.h"
#include "autograd/ops/reduce_dims.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/sum.h"

namespace lemma {
namespace {

using internal::DimMask;
using internal::DimsOf;
using internal::KeptShape;

struct StatisticOver {
  DimMask mask;
  Shape shape;       // of the result
  double parameter;  // the correction of a variance, the p of a norm
};

StatisticOver OverDims(const char* op, const Tensor& x, absl::Span<const int64_t> dims,
                       bool keepdim, double parameter = 0) {
  CheckFloat(op, "x", x);
  const DimMask mask = internal::MaskOf(op, dims, x.rank());
  return {mask, keepdim ? KeptShape(x.shape(), mask) : internal::DroppedShape(x.shape(), mask),
          parameter};
}

void StatisticShape(OpCall& call) {
  call.AddOutput(call.attributes<StatisticOver>().shape, call.in(0).dtype());
}

// Forwards compute bfloat16 in float32, and reduced dimensions with size 1, until the end.
Tensor Wide(const Tensor& x) {
  return x.dtype() == DType::kBFloat16 ? Cast(x, DType::kFloat32) : x;
}

void SetResult(OpCall& call, Tensor kept) {
  call.SetOutput(0, Cast(Reshape(std::move(kept), call.spec(0).shape), call.in(0).dtype()));
}

// x as the output, or its gradient, with the reduced dimensions there.
Tensor Kept(const VjpCall& call, const Tensor& x) {
  return Reshape(x, KeptShape(call.in_spec(0).shape, call.attributes<StatisticOver>().mask));
}

Tensor Centered(const Tensor& x, absl::Span<const int64_t> dims) {
  return Sub(x, Mean(x, dims, /*keepdim=*/true));
}

double Divisor(const Shape& shape, const StatisticOver& over) {
  const double n = static_cast<double>(internal::ReducedCount(shape, over.mask));
  return std::max(0.0, n - over.parameter);
}

void VarForward(OpCall& call) {
  const StatisticOver& over = call.attributes<StatisticOver>();
  const auto dims = DimsOf(over.mask);
  Tensor squares = Square(Centered(Wide(call.in(0)), dims));
  SetResult(call, Div(Sum(std::move(squares), dims, true), Divisor(call.in(0).shape(), over)));
  call.SaveInput(0);
}

// y = sum (x - m)^2 / c with m the mean: dx = dy 2 (x - m) / c, for the x - m sum to 0
void VarVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const StatisticOver& over = call.attributes<StatisticOver>();
  const Tensor x = call.in(0);
  const Tensor dy = Mul(Kept(call, call.dout(0)), 2 / Divisor(x.shape(), over));
  grads.Add(0, Mul(Centered(x, DimsOf(over.mask)), dy));
}

void NormShape(OpCall& call) {
  const StatisticOver& over = call.attributes<StatisticOver>();
  const bool has_value_of_nothing = over.parameter >= 0 && !std::isinf(over.parameter);
  if (!has_value_of_nothing && internal::ReducedCount(call.in(0).shape(), over.mask) == 0) {
    Fail(call.name(), "x: the norm of no elements is not defined for p = ", over.parameter,
         "; x is ", call.in(0).shape().ToString());
  }
  StatisticShape(call);
}

Tensor NormOf(const Tensor& x, double p, absl::Span<const int64_t> dims) {
  if (p == 0) return Sum(Cast(NotEqual(x, 0.0), x.dtype()), dims, true);
  if (p == 1) return Sum(Abs(x), dims, true);
  if (p == 2) return Sqrt(Sum(Square(x), dims, true));
  if (p == INFINITY) return AMax(Abs(x), dims, true);
  if (p == -INFINITY) return AMin(Abs(x), dims, true);
  return Pow(Sum(Pow(Abs(x), p), dims, true), 1 / p);
}

void NormForward(OpCall& call) {
  const StatisticOver& over = call.attributes<StatisticOver>();
  SetResult(call, NormOf(Wide(call.in(0)), over.parameter, DimsOf(over.mask)));
  call.SaveInput(0);
  call.SaveOutput(0);
}

// d|x|/dx of the elements where |x| is the extreme y, each with an even share.
Tensor ExtremeNormGrad(const Tensor& x, const Tensor& y, const Tensor& dy, DimMask mask) {
  const Tensor at = Cast(Equal(Abs(x), y), x.dtype());
  return Mul(Mul(Sign(x), at), Div(dy, Sum(at, DimsOf(mask), true)));
}

// y^p = sum |x|^p: dx = dy sign(x) |x|^(p-1) y^(1-p). Zeros are replaced where a power would not
// be finite, so that derivatives of this don't meet 0 / 0.
Tensor PowerNormGrad(const Tensor& x, const Tensor& y, const Tensor& dy, double p) {
  const Tensor is_zero = Equal(y, 0.0);
  const Tensor length = MaskedFill(y, is_zero, 1);
  if (p == 2) return Mul(MaskedFill(Div(x, length), is_zero, 0), dy);
  const Tensor scale = Mul(MaskedFill(Pow(length, 1 - p), is_zero, 0), dy);
  if (p > 2) return Mul(Mul(x, Pow(Abs(x), p - 2)), scale);
  return Mul(Mul(Sign(x), Pow(MaskedFill(Abs(x), Equal(x, 0.0), 1), p - 1)), scale);
}

void NormVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const StatisticOver& over = call.attributes<StatisticOver>();
  const double p = over.parameter;
  const Tensor x = call.in(0), y = Kept(call, call.out(0)), dy = Kept(call, call.dout(0));
  if (p == 0) {
    grads.Add(0, ZerosLike(x));
  } else if (p == 1) {
    grads.Add(0, Mul(Sign(x), dy));
  } else if (std::isinf(p)) {
    grads.Add(0, ExtremeNormGrad(x, y, dy, over.mask));
  } else {
    grads.Add(0, PowerNormGrad(x, y, dy, p));
  }
}

void LogSumExpForward(OpCall& call) {
  const DimMask mask = call.attributes<StatisticOver>().mask;
  const auto dims = DimsOf(mask);
  const Tensor x = Wide(call.in(0));
  if (internal::ReducedCount(x.shape(), mask) == 0) {
    SetResult(call, Log(Sum(x, dims, true)));
  } else {
    const Tensor max = AMax(x, dims, true);
    const Tensor shift = MaskedFill(max, LogicalNot(IsFinite(max)), 0);
    SetResult(call, Add(Log(Sum(Exp(Sub(x, shift)), dims, true)), shift));
  }
  call.SaveInput(0);
  call.SaveOutput(0);
}

// y = log(sum exp x): dx = dy exp(x) / exp(y)
void LogSumExpVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  grads.Add(0, Mul(Exp(Sub(call.in(0), Kept(call, call.out(0)))), Kept(call, call.dout(0))));
}

}  // namespace

Tensor Var(const Tensor& x, absl::Span<const int64_t> dims, double correction, bool keepdim) {
  return Call(kVar, OverDims("var", x, dims, keepdim, correction), x);
}

Tensor Norm(const Tensor& x, double p, absl::Span<const int64_t> dims, bool keepdim) {
  if (std::isnan(p)) Fail("norm", "p: must be a number");
  return Call(kNorm, OverDims("norm", x, dims, keepdim, p), x);
}

Tensor LogSumExp(const Tensor& x, absl::Span<const int64_t> dims, bool keepdim) {
  return Call(kLogSumExp, OverDims("logsumexp", x, dims, keepdim), x);
}

const OpDef kVar = {.name = "var", .shape = StatisticShape, .forward = VarForward, .vjp = VarVjp};
const OpDef kNorm = {.name = "norm", .shape = NormShape, .forward = NormForward, .vjp = NormVjp};
const OpDef kLogSumExp = {
    .name = "logsumexp", .shape = StatisticShape, .forward = LogSumExpForward, .vjp = LogSumExpVjp};

}  // namespace lemma
