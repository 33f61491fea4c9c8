#include "autograd/ops/sum.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/kernels/sum.h"
#include "autograd/node.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/reduce_dims.h"
#include "autograd/ops/reshape.h"

namespace lemma {
namespace {

using internal::DimMask;

struct SumOver {
  DimMask mask;
  Shape shape;  // of the result
};

struct CumSumAlong {
  int dim;
  bool reverse;
};

DType SumDType(DType dtype) { return IsFloat(dtype) ? dtype : DType::kInt64; }

// What sums of T are kept in.
template <typename T>
using SumType = std::conditional_t<IsFloat(DTypeOf<T>()), Accumulator<T>, int64_t>;

// The sums over the masked dimensions, in row-major order of the others; the last pass writes
// `out`.
template <typename T>
void SumDims(const Tensor& x, DimMask mask, SumType<T>* out) {
  using S = SumType<T>;
  const std::vector<internal::ReducePass> passes = internal::PassesOf(x.shape(), mask);
  std::vector<S> before, sums;
  for (size_t i = 0; i < passes.size(); ++i) {
    const auto& pass = passes[i];
    const bool last = i + 1 == passes.size();
    if (!last) sums.resize(pass.outer * pass.inner);
    S* to = last ? out : sums.data();
    if (i == 0) {
      kernels::SumMiddle<T, S>(pass.outer, pass.n, pass.inner, x.data<T>(), to);
    } else {
      kernels::SumMiddle<S, S>(pass.outer, pass.n, pass.inner, before.data(), to);
    }
    std::swap(before, sums);
  }
}

// Output 0 from the sums, or with `mean` from their shares.
void ForwardSums(OpCall& call, bool mean) {
  const Tensor x = call.in(0).DetachedContiguous();
  const DimMask mask = call.attributes<SumOver>().mask;
  const int64_t count = mean ? internal::ReducedCount(x.shape(), mask) : 1;
  Tensor& y = call.out(0);
  VisitDType(x.dtype(), [&]<typename T>() {
    using S = SumType<T>;
    std::vector<S> narrow;
    S* sums;
    if constexpr (std::is_same_v<T, BFloat16>) {
      narrow.resize(y.numel());
      sums = narrow.data();
    } else {
      sums = y.mutable_data<S>();
    }
    SumDims<T>(x, mask, sums);
    for (int64_t i = 0; mean && i < y.numel(); ++i) sums[i] /= static_cast<S>(count);
    if constexpr (std::is_same_v<T, BFloat16>) {
      T* to = y.mutable_data<T>();
      for (int64_t i = 0; i < y.numel(); ++i) to[i] = T(sums[i]);
    }
  });
}

// dx where every element gets the gradient of the sum that it went into.
Tensor SpreadOver(const Tensor& dy, const Shape& shape, DimMask mask) {
  return Expand(Reshape(dy, internal::KeptShape(shape, mask)), shape);
}

void SumShape(OpCall& call) {
  call.AddOutput(call.attributes<SumOver>().shape, SumDType(call.in(0).dtype()));
}

void SumForward(OpCall& call) { ForwardSums(call, /*mean=*/false); }

// y = sum x, dx = dy for each x
void SumVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const DimMask mask = call.attributes<SumOver>().mask;
  grads.Add(0, SpreadOver(call.dout(0), call.in_spec(0).shape, mask));
}

void MeanShape(OpCall& call) {
  CheckFloat(call.name(), "x", call.in(0));
  call.AddOutput(call.attributes<SumOver>().shape, call.in(0).dtype());
}

void MeanForward(OpCall& call) { ForwardSums(call, /*mean=*/true); }

// y = (sum x) / n, dx = dy / n for each x
void MeanVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const DimMask mask = call.attributes<SumOver>().mask;
  const Shape& shape = call.in_spec(0).shape;
  const double n = static_cast<double>(internal::ReducedCount(shape, mask));
  grads.Add(0, SpreadOver(Div(call.dout(0), n), shape, mask));
}

// y[j] = y[j - 1] + x[j] for an array (outer, n, inner), j from the other end with `reverse`.
template <typename T, typename S>
void RunningSums(const internal::ReducePass& pass, bool reverse, const T* x,
                 std::conditional_t<std::is_same_v<S, int64_t>, S, T>* y) {
  std::vector<S> sums(pass.inner);
  for (int64_t o = 0; o < pass.outer; ++o) {
    sums.assign(pass.inner, S{0});
    for (int64_t step = 0; step < pass.n; ++step) {
      const int64_t j = reverse ? pass.n - 1 - step : step;
      const int64_t at = (o * pass.n + j) * pass.inner;
      for (int64_t i = 0; i < pass.inner; ++i) {
        sums[i] += static_cast<S>(x[at + i]);
        y[at + i] = static_cast<std::remove_pointer_t<decltype(y)>>(sums[i]);
      }
    }
  }
}

void CumSumShape(OpCall& call) { call.AddOutput(call.in(0).shape(), SumDType(call.in(0).dtype())); }

void CumSumForward(OpCall& call) {
  const CumSumAlong& along = call.attributes<CumSumAlong>();
  const Tensor x = call.in(0).DetachedContiguous();
  const internal::ReducePass pass =
      internal::PassesOf(x.shape(), x.rank() == 0 ? 0 : DimMask{1} << along.dim)[0];
  Tensor& y = call.out(0);
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (IsFloat(DTypeOf<T>())) {
      RunningSums<T, double>(pass, along.reverse, x.data<T>(), y.mutable_data<T>());
    } else {
      RunningSums<T, int64_t>(pass, along.reverse, x.data<T>(), y.mutable_data<int64_t>());
    }
  });
}

// x[i] is in y[i], y[i + 1], ..., so dx is the running sum of dy from the other end
void CumSumVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const CumSumAlong& along = call.attributes<CumSumAlong>();
  grads.Add(0, CumSum(call.dout(0), along.dim, !along.reverse));
}

SumOver OverDims(const char* op, const Tensor& x, absl::Span<const int64_t> dims, bool keepdim) {
  CheckDefined(op, "x", x);
  const DimMask mask = internal::MaskOf(op, dims, x.rank());
  return {mask,
          keepdim ? internal::KeptShape(x.shape(), mask) : internal::DroppedShape(x.shape(), mask)};
}

}  // namespace

Tensor Sum(Tensor x) { return Sum(std::move(x), {}, false); }

Tensor Sum(Tensor x, absl::Span<const int64_t> dims, bool keepdim) {
  SumOver over = OverDims("sum", x, dims, keepdim);
  return Call(kSum, std::move(over), std::move(x));
}

Tensor SumTo(Tensor x, const Shape& shape) {
  CheckDefined("sum_to", "x", x);
  if (x.shape() == shape) return x;
  if (!BroadcastsTo(shape, x.shape())) {
    Fail("sum_to", "shape: ", shape.ToString(), " does not broadcast to the shape of x, ",
         x.shape().ToString());
  }
  const int extra = x.rank() - shape.rank();
  DimMask mask = 0;
  for (int i = 0; i < x.rank(); ++i) {
    if (i < extra || (shape[i - extra] == 1 && x.shape()[i] != 1)) mask |= DimMask{1} << i;
  }
  return Call(kSum, SumOver{mask, shape}, std::move(x));
}

Tensor Mean(Tensor x) { return Mean(std::move(x), {}, false); }

Tensor Mean(Tensor x, absl::Span<const int64_t> dims, bool keepdim) {
  SumOver over = OverDims("mean", x, dims, keepdim);
  return Call(kMean, std::move(over), std::move(x));
}

Tensor CumSum(const Tensor& x, int64_t dim, bool reverse) {
  CheckDefined("cumsum", "x", x);
  return Call(kCumSum, CumSumAlong{NormalizeDim("cumsum", dim, x.rank()), reverse}, x);
}

const OpDef kSum = {.name = "sum", .shape = SumShape, .forward = SumForward, .vjp = SumVjp};
const OpDef kMean = {.name = "mean", .shape = MeanShape, .forward = MeanForward, .vjp = MeanVjp};
const OpDef kCumSum = {
    .name = "cumsum", .shape = CumSumShape, .forward = CumSumForward, .vjp = CumSumVjp};

}  // namespace lemma
