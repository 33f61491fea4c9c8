#include "autograd/ops/extremes.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/create.h"
#include "autograd/kernels/parallel.h"
#include "autograd/node.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/reduce_dims.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/sum.h"

namespace lemma {
namespace {

using internal::DimMask;
using internal::ReducePass;

struct ExtremeAlong {
  int dim;
  bool keepdim;
};

struct ExtremeOver {
  DimMask mask;
  Shape shape;  // of the result
};

struct TopKAlong {
  int dim;
  int64_t k;
  bool largest, sorted;
};

template <typename T>
bool IsNan(T value) {
  if constexpr (IsFloat(DTypeOf<T>())) {
    return value != value;
  } else {
    return false;
  }
}

// Whether `a` takes the place of `b` as the extreme; NaN does, once.
struct IsGreater {
  template <typename T>
  bool operator()(T a, T b) const {
    return a > b || (IsNan(a) && !IsNan(b));
  }
};
struct IsLess {
  template <typename T>
  bool operator()(T a, T b) const {
    return a < b || (IsNan(a) && !IsNan(b));
  }
};

constexpr int64_t kGrain = 16384;  // elements

// Calls fn(o) for each o in [0, outer), shared out among threads.
template <typename Fn>
void ForOuter(const ReducePass& pass, Fn fn) {
  const int64_t work = std::max<int64_t>(1, pass.n * pass.inner);
  kernels::ParallelFor(pass.outer, std::max<int64_t>(1, kGrain / work),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t o = begin; o < end; ++o) fn(o);
                       });
}

// Extremes over the middle of x (outer, n, inner), n >= 1. `values` or `indices` may be null, then
// values are kept aside.
template <typename Takes, typename T>
void ExtremesOfMiddle(const ReducePass& pass, const T* x, T* values, int64_t* indices) {
  const int64_t n = pass.n, inner = pass.inner;
  ForOuter(pass, [=](int64_t o) {
    const T* row = x + o * n * inner;
    for (int64_t begin = 0; begin < inner; begin += 256) {
      const int64_t width = std::min<int64_t>(256, inner - begin);
      T best[256];
      int64_t at[256] = {};
      std::copy(row + begin, row + begin + width, best);
      for (int64_t j = 1; j < n; ++j) {
        for (int64_t i = 0; i < width; ++i) {
          const T value = row[j * inner + begin + i];
          if (!Takes()(value, best[i])) continue;
          best[i] = value;
          at[i] = j;
        }
      }
      if (values != nullptr) std::copy(best, best + width, values + o * inner + begin);
      if (indices != nullptr) std::copy(at, at + width, indices + o * inner + begin);
    }
  });
}

void CheckNotEmpty(const char* op, const Shape& shape, DimMask mask) {
  if (internal::ReducedCount(shape, mask) > 0) return;
  Fail(op, "x: no elements have no extreme; x is ", shape.ToString(),
       ", give it elements along the dimensions that are reduced");
}

DimMask MaskOfDim(int dim) { return DimMask{1} << dim; }

Shape ShapeAlong(const Shape& shape, const ExtremeAlong& along) {
  return along.keepdim ? internal::KeptShape(shape, MaskOfDim(along.dim))
                       : internal::DroppedShape(shape, MaskOfDim(along.dim));
}

void ExtremeShape(OpCall& call) {
  const ExtremeAlong& along = call.attributes<ExtremeAlong>();
  const Shape& shape = call.in(0).shape();
  CheckNotEmpty(call.name(), shape, MaskOfDim(along.dim));
  call.AddOutput(ShapeAlong(shape, along), call.in(0).dtype());
  call.AddOutput(ShapeAlong(shape, along), DType::kInt64);
}

template <typename Takes>
void ExtremeForward(OpCall& call) {
  const Tensor x = call.in(0).DetachedContiguous();
  const DimMask mask = MaskOfDim(call.attributes<ExtremeAlong>().dim);
  VisitDType(x.dtype(), [&]<typename T>() {
    ExtremesOfMiddle<Takes, T>(internal::PassesOf(x.shape(), mask)[0], x.data<T>(),
                               call.out(0).mutable_data<T>(), call.out(1).mutable_data<int64_t>());
  });
  call.SaveOutput(1);
}

// dx = dy at `indices` along `dim`, which dy and indices have.
Tensor AtIndices(const VjpCall& call, int dim, const Tensor& indices, const Tensor& dy) {
  const TensorSpec& spec = call.in_spec(0);
  return ScatterAdd(Zeros(spec.shape, spec.dtype), dim, indices, dy);
}

// y = x[index], so dx is dy at the index and 0 elsewhere
void ExtremeVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0) || !call.dout(0).defined()) return;
  const int dim = call.attributes<ExtremeAlong>().dim;
  const Shape kept = internal::KeptShape(call.in_spec(0).shape, MaskOfDim(dim));
  grads.Add(0, AtIndices(call, dim, Reshape(call.out(1), kept), Reshape(call.dout(0), kept)));
}

void ArgExtremeShape(OpCall& call) {
  const ExtremeAlong& along = call.attributes<ExtremeAlong>();
  CheckNotEmpty(call.name(), call.in(0).shape(), MaskOfDim(along.dim));
  call.AddOutput(ShapeAlong(call.in(0).shape(), along), DType::kInt64);
}

template <typename Takes>
void ArgExtremeForward(OpCall& call) {
  const Tensor x = call.in(0).DetachedContiguous();
  const DimMask mask = MaskOfDim(call.attributes<ExtremeAlong>().dim);
  VisitDType(x.dtype(), [&]<typename T>() {
    ExtremesOfMiddle<Takes, T>(internal::PassesOf(x.shape(), mask)[0], x.data<T>(), nullptr,
                               call.out(0).mutable_data<int64_t>());
  });
}

void ExtremeOverShape(OpCall& call) {
  const ExtremeOver& over = call.attributes<ExtremeOver>();
  CheckNotEmpty(call.name(), call.in(0).shape(), over.mask);
  call.AddOutput(over.shape, call.in(0).dtype());
}

template <typename Takes>
void ExtremeOverForward(OpCall& call) {
  call.SaveInput(0);
  call.SaveOutput(0);
  const Tensor x = call.in(0).DetachedContiguous();
  const auto passes = internal::PassesOf(x.shape(), call.attributes<ExtremeOver>().mask);
  VisitDType(x.dtype(), [&]<typename T>() {
    // Not a vector: one of bools has no data().
    Tensor before = x;
    for (size_t i = 0; i < passes.size(); ++i) {
      const ReducePass& pass = passes[i];
      Tensor after = i + 1 == passes.size() ? call.out(0)
                                            : Tensor::Empty({pass.outer * pass.inner}, x.dtype());
      ExtremesOfMiddle<Takes, T>(pass, before.data<T>(), after.mutable_data<T>(), nullptr);
      before = std::move(after);
    }
  });
}

// dx = dy where x = y, in even shares; NaN is equal to NaN here
void ExtremeOverVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const DimMask mask = call.attributes<ExtremeOver>().mask;
  const Tensor x = call.in(0);
  const Shape kept = internal::KeptShape(x.shape(), mask);
  const Tensor y = Reshape(call.out(0), kept), dy = Reshape(call.dout(0), kept);
  const Tensor both_nan = LogicalAnd(NotEqual(x, x), NotEqual(y, y));
  const Tensor at = LogicalOr(Equal(x, y), both_nan);
  const Tensor count = Sum(Cast(at, x.dtype()), internal::DimsOf(mask), /*keepdim=*/true);
  grads.Add(0, Where(at, Div(dy, count), 0));
}

void TopKShape(OpCall& call) {
  const TopKAlong& along = call.attributes<TopKAlong>();
  Shape shape = call.in(0).shape();
  if (along.k < 0 || along.k > shape[along.dim]) {
    Fail(call.name(), "k: ", along.k, " is not in [0, ", shape[along.dim], "], what dimension ",
         along.dim, " of x has; x is ", shape.ToString());
  }
  shape[along.dim] = along.k;
  call.AddOutput(shape, call.in(0).dtype());
  call.AddOutput(std::move(shape), DType::kInt64);
}

// The places of the k elements that come first in a row of n elements `step` apart.
template <typename T>
void SelectTop(const TopKAlong& along, int64_t n, int64_t step, const T* row,
               std::vector<int64_t>& places) {
  places.resize(n);
  std::iota(places.begin(), places.end(), int64_t{0});
  const auto before = [=](int64_t i, int64_t j) {
    const T a = row[i * step], b = row[j * step];
    if (along.largest ? IsGreater()(a, b) : IsGreater()(b, a)) return true;
    if (along.largest ? IsGreater()(b, a) : IsGreater()(a, b)) return false;
    return i < j;
  };
  const auto end = places.begin() + along.k;
  if (end != places.end()) std::nth_element(places.begin(), end, places.end(), before);
  if (along.sorted) {
    std::sort(places.begin(), end, before);
  } else {
    std::sort(places.begin(), end);
  }
}

void TopKForward(OpCall& call) {
  const TopKAlong& along = call.attributes<TopKAlong>();
  const Tensor x = call.in(0).DetachedContiguous();
  const ReducePass pass = internal::PassesOf(x.shape(), MaskOfDim(along.dim))[0];
  int64_t* indices = call.out(1).mutable_data<int64_t>();
  VisitDType(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    T* values = call.out(0).mutable_data<T>();
    ForOuter(pass, [&](int64_t o) {
      std::vector<int64_t> places;
      for (int64_t i = 0; i < pass.inner; ++i) {
        const T* row = from + o * pass.n * pass.inner + i;
        SelectTop(along, pass.n, pass.inner, row, places);
        for (int64_t j = 0; j < along.k; ++j) {
          const int64_t at = (o * along.k + j) * pass.inner + i;
          indices[at] = places[j];
          values[at] = row[places[j] * pass.inner];
        }
      }
    });
  });
  call.SaveOutput(1);
}

// y = x[index], so dx is dy at the indices and 0 elsewhere
void TopKVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0) || !call.dout(0).defined()) return;
  grads.Add(0, AtIndices(call, call.attributes<TopKAlong>().dim, call.out(1), call.dout(0)));
}

// A scalar is treated as a vector of one element, and the results as scalars.
Tensor AsVector(const Tensor& x) { return x.rank() == 0 ? Reshape(x, {1}) : x; }

ValuesAndIndices Unwrap(const Tensor& x, TensorList outputs) {
  if (x.rank() > 0) return {std::move(outputs[0]), std::move(outputs[1])};
  return {Reshape(std::move(outputs[0]), {}), Reshape(std::move(outputs[1]), {})};
}

ValuesAndIndices Along(const OpDef& op, const Tensor& x, int64_t dim, bool keepdim) {
  CheckDefined(op.name, "x", x);
  const ExtremeAlong along{NormalizeDim(op.name, dim, x.rank()), keepdim};
  return Unwrap(x, CallWithList(op, along, {AsVector(x)}));
}

Tensor Over(const OpDef& op, const Tensor& x, absl::Span<const int64_t> dims, bool keepdim) {
  CheckDefined(op.name, "x", x);
  const DimMask mask = internal::MaskOf(op.name, dims, x.rank());
  Shape shape =
      keepdim ? internal::KeptShape(x.shape(), mask) : internal::DroppedShape(x.shape(), mask);
  return Call(op, ExtremeOver{mask, std::move(shape)}, x);
}

Tensor Arg(const OpDef& op, const Tensor& x, int64_t dim, bool keepdim) {
  CheckDefined(op.name, "x", x);
  const ExtremeAlong along{NormalizeDim(op.name, dim, x.rank()), keepdim};
  Tensor index = Call(op, along, AsVector(x));
  return x.rank() == 0 ? Reshape(std::move(index), {}) : index;
}

Tensor ArgOfAll(const OpDef& op, const Tensor& x) {
  CheckDefined(op.name, "x", x);
  return Arg(op, Reshape(x, {x.numel()}), 0, false);
}

}  // namespace

ValuesAndIndices Max(const Tensor& x, int64_t dim, bool keepdim) {
  return Along(kMax, x, dim, keepdim);
}
ValuesAndIndices Min(const Tensor& x, int64_t dim, bool keepdim) {
  return Along(kMin, x, dim, keepdim);
}

Tensor AMax(const Tensor& x, absl::Span<const int64_t> dims, bool keepdim) {
  return Over(kAMax, x, dims, keepdim);
}
Tensor AMin(const Tensor& x, absl::Span<const int64_t> dims, bool keepdim) {
  return Over(kAMin, x, dims, keepdim);
}
Tensor Max(const Tensor& x) { return AMax(x); }
Tensor Min(const Tensor& x) { return AMin(x); }

Tensor ArgMax(const Tensor& x) { return ArgOfAll(kArgMax, x); }
Tensor ArgMin(const Tensor& x) { return ArgOfAll(kArgMin, x); }
Tensor ArgMax(const Tensor& x, int64_t dim, bool keepdim) { return Arg(kArgMax, x, dim, keepdim); }
Tensor ArgMin(const Tensor& x, int64_t dim, bool keepdim) { return Arg(kArgMin, x, dim, keepdim); }

ValuesAndIndices TopK(const Tensor& x, int64_t k, int64_t dim, bool largest, bool sorted) {
  CheckDefined("topk", "x", x);
  const TopKAlong along{NormalizeDim("topk", dim, x.rank()), k, largest, sorted};
  return Unwrap(x, CallWithList(kTopK, along, {AsVector(x)}));
}

const OpDef kMax = {
    .name = "max", .shape = ExtremeShape, .forward = ExtremeForward<IsGreater>, .vjp = ExtremeVjp};
const OpDef kMin = {
    .name = "min", .shape = ExtremeShape, .forward = ExtremeForward<IsLess>, .vjp = ExtremeVjp};
const OpDef kAMax = {.name = "amax",
                     .shape = ExtremeOverShape,
                     .forward = ExtremeOverForward<IsGreater>,
                     .vjp = ExtremeOverVjp};
const OpDef kAMin = {.name = "amin",
                     .shape = ExtremeOverShape,
                     .forward = ExtremeOverForward<IsLess>,
                     .vjp = ExtremeOverVjp};
const OpDef kArgMax = {
    .name = "argmax", .shape = ArgExtremeShape, .forward = ArgExtremeForward<IsGreater>};
const OpDef kArgMin = {
    .name = "argmin", .shape = ArgExtremeShape, .forward = ArgExtremeForward<IsLess>};
const OpDef kTopK = {.name = "topk", .shape = TopKShape, .forward = TopKForward, .vjp = TopKVjp};

}  // namespace lemma
