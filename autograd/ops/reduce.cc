#include "autograd/ops/reduce.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/kernels/sum.h"
#include "autograd/node.h"
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

DType SumDType(DType dtype) { return IsFloat(dtype) ? dtype : DType::kInt64; }

// What sums of T are kept in.
template <typename T>
using SumType = std::conditional_t<IsFloat(DTypeOf<T>()), Accumulator<T>, int64_t>;

// The sums over the masked dimensions, in row-major order of the others; the last pass writes `out`.
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

// dx for y = the sum of x: every element gets the gradient of the sum that it went into.
Tensor SpreadOver(const Tensor& dy, const Shape& shape, DimMask mask) {
  return Expand(Reshape(dy, internal::KeptShape(shape, mask)), shape);
}

void SumShape(OpCall& call) {
  call.AddOutput(call.attributes<SumOver>().shape, SumDType(call.in(0).dtype()));
}

void SumForward(OpCall& call) {
  const Tensor x = call.in(0).DetachedContiguous();
  const DimMask mask = call.attributes<SumOver>().mask;
  Tensor& y = call.out(0);
  VisitDType(x.dtype(), [&]<typename T>() {
    using S = SumType<T>;
    if constexpr (std::is_same_v<T, BFloat16>) {
      std::vector<S> sums(y.numel());
      SumDims<T>(x, mask, sums.data());
      T* to = y.mutable_data<T>();
      for (size_t i = 0; i < sums.size(); ++i) to[i] = T(sums[i]);
    } else {
      SumDims<T>(x, mask, y.mutable_data<S>());
    }
  });
}

// y = sum x, dx = dy for each x
void SumVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const DimMask mask = call.attributes<SumOver>().mask;
  const Shape& shape = call.in_spec(0).shape;
  Tensor dy = call.dout(0);
  grads.Add(0, SpreadOver(dy, shape, mask));
}

SumOver OverDims(const char* op, const Tensor& x, absl::Span<const int64_t> dims, bool keepdim) {
  CheckDefined(op, "x", x);
  const DimMask mask = internal::MaskOf(op, dims, x.rank());
  return {mask, keepdim ? internal::KeptShape(x.shape(), mask)
                        : internal::DroppedShape(x.shape(), mask)};
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

const OpDef kSum = {.name = "sum", .shape = SumShape, .forward = SumForward, .vjp = SumVjp};

}  // namespace lemma
