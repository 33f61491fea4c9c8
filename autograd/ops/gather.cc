#include "autograd/ops/gather.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/create.h"
#include "autograd/error.h"
#include "autograd/node.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/slice.h"
#include "autograd/shape.h"

namespace lemma {
namespace {

struct AlongDim {
  int dim;
};

struct OneHotOf {
  int64_t n;
  DType dtype;
};

// Calls fn with the C++ type of `dtype`, which is not bool.
template <typename Fn>
void VisitNumber(DType dtype, Fn&& fn) {
  VisitDType(dtype, [&]<typename T>() {
    if constexpr (!std::is_same_v<T, bool>) fn.template operator()<T>();
  });
}

// Output 0 with the elements of input 0, in its memory where that was given up.
Tensor& CopyOfInput(OpCall& call) {
  Tensor& y = call.OutputOver(0, 0);
  const Tensor& x = call.in(0);
  if (!(y.storage() == x.storage())) {
    CopyStrided(x.dtype(), x.shape(), x.raw_data(), x.strides(), y.mutable_raw_data());
  }
  return y;
}

// Calls fn(i, a, b) for each element of a row-major array of `shape`, where a and b are its places
// in arrays of these strides.
template <typename Fn>
void ForEachPlace(const Shape& shape, const Strides& a, const Strides& b, Fn fn) {
  const int64_t n = shape.numel();
  if (n == 0) return;
  const int last = shape.rank() - 1;
  Shape place(std::vector<int64_t>(shape.rank(), 0));
  int64_t at_a = 0, at_b = 0;
  for (int64_t i = 0; i < n;) {
    for (int64_t j = 0; j < shape[last]; ++j) fn(i + j, at_a + j * a[last], at_b + j * b[last]);
    i += shape[last];
    for (int d = last - 1; d >= 0; --d) {
      at_a += a[d];
      at_b += b[d];
      if (++place[d] < shape[d]) break;
      at_a -= place[d] * a[d];
      at_b -= place[d] * b[d];
      place[d] = 0;
    }
  }
}

// An index without elements may have any shape.
void CheckGather(const char* op, const Tensor& x, int dim, const Tensor& index) {
  CheckIndex(op, "index", index);
  if (index.numel() == 0) return;
  CheckRank(op, "index", index, x.rank());
  for (int i = 0; i < x.rank(); ++i) {
    if (i != dim && index.shape()[i] > x.shape()[i]) {
      Fail(op, "index: can't be larger than x but along dimension ", dim, "; index is ",
           index.shape().ToString(), ", x is ", x.shape().ToString());
    }
  }
  CheckIndexInRange(op, "index", index, x.shape()[dim]);
}

void GatherShape(OpCall& call) {
  CheckGather(call.name(), call.in(0), call.attributes<AlongDim>().dim, call.in(1));
  call.AddOutput(call.in(1).shape(), call.in(0).dtype());
}

void GatherForward(OpCall& call) {
  const int dim = call.attributes<AlongDim>().dim;
  const Tensor& x = call.in(0);
  const Tensor index = call.in(1).DetachedContiguous();
  Strides strides = x.strides();
  const int64_t step = std::exchange(strides[dim], 0);
  VisitDType(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    const int64_t* chosen = index.data<int64_t>();
    T* to = call.out(0).mutable_data<T>();
    ForEachPlace(index.shape(), strides, strides,
                 [=](int64_t i, int64_t at, int64_t) { to[i] = from[at + chosen[i] * step]; });
  });
  call.SaveInput(1);
}

// dx[index[i]] += dy[i]
void GatherVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const TensorSpec& spec = call.in_spec(0);
  grads.Add(0, ScatterAdd(Zeros(spec.shape, spec.dtype), call.attributes<AlongDim>().dim,
                          call.in(1), call.dout(0)));
}

void ScatterAddShape(OpCall& call) {
  const Tensor &x = call.in(0), &index = call.in(1), &src = call.in(2);
  CheckNumber(call.name(), "x", x);
  CheckSameDType(call.name(), "x", x, "src", src);
  CheckGather(call.name(), x, call.attributes<AlongDim>().dim, index);
  CheckRank(call.name(), "src", src, index.rank());
  for (int i = 0; i < index.rank(); ++i) {
    if (index.shape()[i] > src.shape()[i]) {
      Fail(call.name(), "src: must be as large as index; src is ", src.shape().ToString(),
           ", index is ", index.shape().ToString());
    }
  }
  call.AddOutput(x.shape(), x.dtype());
}

void ScatterAddForward(OpCall& call) {
  call.SaveInput(1);
  const int dim = call.attributes<AlongDim>().dim;
  Tensor& y = CopyOfInput(call);
  const Tensor index = call.in(1).DetachedContiguous();
  const Tensor& src = call.in(2);
  Strides strides = y.strides();
  const int64_t step = std::exchange(strides[dim], 0);
  VisitNumber(y.dtype(), [&]<typename T>() {
    using A = Accumulator<T>;
    const T* from = src.data<T>();
    const int64_t* chosen = index.data<int64_t>();
    T* to = y.mutable_data<T>();
    ForEachPlace(index.shape(), strides, src.strides(), [=](int64_t i, int64_t at, int64_t at_src) {
      T& place = to[at + chosen[i] * step];
      place = static_cast<T>(static_cast<A>(place) + static_cast<A>(from[at_src]));
    });
  });
}

// y = x with src[i] added at index[i]: dx = dy, dsrc[i] = dy[index[i]], 0 beyond the index
void ScatterAddVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, call.dout(0));
  if (!grads.Needs(2)) return;
  Tensor dsrc = Gather(call.dout(0), call.attributes<AlongDim>().dim, call.in(1));
  const Shape& shape = call.in_spec(2).shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (dsrc.shape()[i] == shape[i]) continue;
    Shape padded = dsrc.shape();
    padded[i] = shape[i];
    dsrc = PadSlice(std::move(dsrc), padded, i, 0);
  }
  grads.Add(2, std::move(dsrc));
}

void OneHotShape(OpCall& call) {
  const OneHotOf& of = call.attributes<OneHotOf>();
  CheckIndex(call.name(), "index", call.in(0));
  CheckIndexInRange(call.name(), "index", call.in(0), of.n);
  Shape shape = call.in(0).shape();
  shape.Append(of.n);
  call.AddOutput(std::move(shape), of.dtype);
}

void OneHotForward(OpCall& call) {
  const int64_t n = call.attributes<OneHotOf>().n;
  const Tensor index = call.in(0).DetachedContiguous();
  Tensor& y = call.out(0);
  VisitDType(y.dtype(), [&]<typename T>() {
    T* to = y.mutable_data<T>();
    std::fill(to, to + y.numel(), static_cast<T>(0.0f));
    const int64_t* chosen = index.data<int64_t>();
    for (int64_t i = 0; i < index.numel(); ++i) to[i * n + chosen[i]] = static_cast<T>(1.0f);
  });
}

}  // namespace

Tensor Gather(const Tensor& x, int64_t dim, const Tensor& index) {
  CheckDefined("gather", "x", x);
  CheckDefined("gather", "index", index);
  if (x.rank() == 0) return Gather(Reshape(x, {1}), dim, index);
  if (index.rank() == 0) return Reshape(Gather(x, dim, Reshape(index, {1})), {});
  return Call(kGather, AlongDim{NormalizeDim("gather", dim, x.rank())}, x, index);
}

Tensor ScatterAdd(Tensor x, int64_t dim, const Tensor& index, const Tensor& src) {
  CheckDefined("scatter_add", "x", x);
  CheckDefined("scatter_add", "index", index);
  CheckDefined("scatter_add", "src", src);
  if (x.rank() == 0) return Reshape(ScatterAdd(Reshape(x, {1}), dim, index, src), {});
  if (index.rank() == 0) return ScatterAdd(std::move(x), dim, Reshape(index, {1}), src);
  if (src.rank() == 0) return ScatterAdd(std::move(x), dim, index, Reshape(src, {1}));
  const int at = NormalizeDim("scatter_add", dim, x.rank());
  return Call(kScatterAdd, AlongDim{at}, std::move(x), index, src);
}

Tensor OneHot(const Tensor& index, int64_t n, DType dtype) {
  CheckDefined("one_hot", "index", index);
  if (n < 0) Fail("one_hot", "n: must be at least 0; it is ", n);
  return Call(kOneHot, OneHotOf{n, dtype}, index);
}

const OpDef kGather = {
    .name = "gather", .shape = GatherShape, .forward = GatherForward, .vjp = GatherVjp};
const OpDef kScatterAdd = {.name = "scatter_add",
                           .shape = ScatterAddShape,
                           .forward = ScatterAddForward,
                           .vjp = ScatterAddVjp};
const OpDef kOneHot = {.name = "one_hot", .shape = OneHotShape, .forward = OneHotForward};

}  // namespace lemma
