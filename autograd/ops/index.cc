#include "autograd/ops/index.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/create.h"
#include "autograd/kernels/embedding.h"
#include "autograd/node.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/slice.h"

namespace lemma {
namespace {

struct AlongDim {
  int dim;
};

struct PaddingRow {
  int64_t row;  // -1: none
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

// Every element of `index`, int64, lies in [0, size).
void CheckInRange(const char* op, const Tensor& index, int64_t size) {
  const Tensor dense = index.DetachedContiguous();
  const int64_t* values = dense.data<int64_t>();
  for (int64_t i = 0; i < dense.numel(); ++i) {
    if (values[i] >= 0 && values[i] < size) continue;
    Shape place = dense.shape();
    int64_t rest = i;
    for (int d = place.rank() - 1; d >= 0; --d) {
      place[d] = rest % dense.shape()[d];
      rest /= dense.shape()[d];
    }
    Fail(op, "index: ", values[i], " at ", place.ToString(), " is not in [0, ", size, ")");
  }
}

// A dense tensor around dimension `dim`: (outer, size, inner).
struct Layout {
  int64_t outer = 1, size = 1, inner = 1;
};

Layout LayoutOf(const Shape& shape, int dim) {
  Layout layout;
  for (int i = 0; i < dim; ++i) layout.outer *= shape[i];
  layout.size = shape[dim];
  for (int i = dim + 1; i < shape.rank(); ++i) layout.inner *= shape[i];
  return layout;
}

// out[o, i] = x[o, index[i]]
void SelectRows(const Tensor& x, int dim, const Tensor& index, Tensor& out) {
  const Layout at = LayoutOf(x.shape(), dim);
  const int64_t count = index.numel();
  VisitDType(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    for (int64_t o = 0; o < at.outer; ++o) {
      kernels::GatherRows<T>(count, at.inner, from + o * at.size * at.inner,
                             index.data<int64_t>(), to + o * count * at.inner);
    }
  });
}

// x[o, index[i]] += src[o, i]
void AddRowsInto(Tensor& x, int dim, const Tensor& index, const Tensor& src) {
  const Layout at = LayoutOf(x.shape(), dim);
  const int64_t count = index.numel();
  VisitNumber(x.dtype(), [&]<typename T>() {
    const T* from = src.data<T>();
    T* to = x.mutable_data<T>();
    for (int64_t o = 0; o < at.outer; ++o) {
      kernels::ScatterAddRows<T>(count, at.inner, from + o * count * at.inner,
                                 index.data<int64_t>(), at.size, to + o * at.size * at.inner);
    }
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

void IndexSelectShape(OpCall& call) {
  const int dim = call.attributes<AlongDim>().dim;
  CheckIndex(call.name(), "index", call.in(1));
  CheckRank(call.name(), "index", call.in(1), 1);
  CheckInRange(call.name(), call.in(1), call.in(0).shape()[dim]);
  Shape shape = call.in(0).shape();
  shape[dim] = call.in(1).numel();
  call.AddOutput(std::move(shape), call.in(0).dtype());
}

void IndexSelectForward(OpCall& call) {
  SelectRows(call.in(0).DetachedContiguous(), call.attributes<AlongDim>().dim,
             call.in(1).DetachedContiguous(), call.out(0));
  call.SaveInput(1);
}

// dx[index[i]] += dy[i]
void IndexSelectVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const int dim = call.attributes<AlongDim>().dim;
  if (dim == 0) return grads.AddRows(0, call.in(1), call.dout(0));
  const TensorSpec& spec = call.in_spec(0);
  grads.Add(0, IndexAdd(Zeros(spec.shape, spec.dtype), dim, call.in(1), call.dout(0)));
}

void CheckIndexAdd(const char* op, const Tensor& x, int dim, const Tensor& index,
                   const Tensor& src) {
  CheckNumber(op, "x", x);
  CheckIndex(op, "index", index);
  CheckRank(op, "index", index, 1);
  CheckSameDType(op, "x", x, "src", src);
  Shape expected = x.shape();
  expected[dim] = index.numel();
  CheckShape(op, "src", src, expected);
  CheckInRange(op, index, x.shape()[dim]);
}

void IndexAddShape(OpCall& call) {
  CheckIndexAdd(call.name(), call.in(0), call.attributes<AlongDim>().dim, call.in(1), call.in(2));
  call.AddOutput(call.in(0).shape(), call.in(0).dtype());
}

void IndexAddForward(OpCall& call) {
  call.SaveInput(1);
  AddRowsInto(CopyOfInput(call), call.attributes<AlongDim>().dim,
              call.in(1).DetachedContiguous(), call.in(2).DetachedContiguous());
}

// y = x with src[i] added at index[i]: dx = dy, dsrc[i] = dy[index[i]]
void IndexAddVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, call.dout(0));
  if (!grads.Needs(2)) return;
  grads.Add(2, IndexSelect(call.dout(0), call.attributes<AlongDim>().dim, call.in(1)));
}

void EmbeddingShape(OpCall& call) {
  CheckIndex(call.name(), "index", call.in(0));
  CheckRank(call.name(), "weight", call.in(1), 2);
  CheckInRange(call.name(), call.in(0), call.in(1).shape()[0]);
  Shape shape = call.in(0).shape();
  shape.Append(call.in(1).shape()[1]);
  call.AddOutput(std::move(shape), call.in(1).dtype());
}

void EmbeddingForward(OpCall& call) {
  SelectRows(call.in(1).DetachedContiguous(), 0, call.in(0).DetachedContiguous(), call.out(0));
  call.SaveInput(0);
}

// dweight[index] += dy, but for the padding row
void EmbeddingVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(1)) return;
  const Tensor index = call.in(0).DetachedContiguous();
  const int64_t count = index.numel();
  Tensor rows = Reshape(index, {count});
  Tensor dy = Reshape(call.dout(0), {count, call.in_spec(1).shape[1]});
  const int64_t padding = call.attributes<PaddingRow>().row;
  if (padding >= 0) {
    std::vector<int64_t> kept;
    const int64_t* values = rows.data<int64_t>();
    for (int64_t i = 0; i < count; ++i) {
      if (values[i] != padding) kept.push_back(i);
    }
    const Tensor keep = FromVector(kept, {static_cast<int64_t>(kept.size())});
    rows = IndexSelect(rows, 0, keep);
    dy = IndexSelect(dy, 0, keep);
  }
  grads.AddRows(1, rows, dy);
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
  CheckInRange(op, index, x.shape()[dim]);
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
    ForEachPlace(index.shape(), strides, strides, [=](int64_t i, int64_t at, int64_t) {
      to[i] = from[at + chosen[i] * step];
    });
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
  CheckInRange(call.name(), call.in(0), of.n);
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

Tensor IndexSelect(const Tensor& x, int64_t dim, const Tensor& index) {
  CheckDefined("index_select", "x", x);
  CheckDefined("index_select", "index", index);
  if (index.rank() == 0) return IndexSelect(x, dim, Reshape(index, {1}));
  const int at = NormalizeDim("index_select", dim, x.rank());
  if (x.rank() > 0) return Call(kIndexSelect, AlongDim{at}, x, index);
  if (index.numel() != 1) {
    Fail("index_select", "index: of a scalar one element can be selected, not ", index.numel());
  }
  return Reshape(Call(kIndexSelect, AlongDim{at}, Reshape(x, {1}), index), {});
}

Tensor IndexAdd(Tensor x, int64_t dim, const Tensor& index, const Tensor& src) {
  CheckMinRank("index_add", "x", x, 1);
  CheckDefined("index_add", "index", index);
  CheckDefined("index_add", "src", src);
  const int at = NormalizeDim("index_add", dim, x.rank());
  return Call(kIndexAdd, AlongDim{at}, std::move(x), index, src);
}

Tensor Embedding(const Tensor& index, const Tensor& weight, std::optional<int64_t> padding_idx) {
  CheckDefined("embedding", "index", index);
  CheckRank("embedding", "weight", weight, 2);
  int64_t row = -1;
  if (padding_idx.has_value()) {
    const int64_t rows = weight.shape()[0];
    row = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
    if (row < 0 || row >= rows) {
      Fail("embedding", "padding_idx: ", *padding_idx, " is not in [", -rows, ", ", rows, ")");
    }
  }
  return Call(kEmbedding, PaddingRow{row}, index, weight);
}

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

void IndexAddInPlace(Tensor& x, const Tensor& index, const Tensor& src) {
  const char* op = "index_add_in_place";
  CheckMinRank(op, "x", x, 1);
  CheckDefined(op, "index", index);
  CheckDefined(op, "src", src);
  if (IsGradEnabled() && (x.requires_grad() || src.requires_grad())) {
    Fail(op, x.requires_grad() ? "x" : "src",
         ": requires a gradient, and changes in place are not recorded; put it under NoGrad, or "
         "use IndexAdd");
  }
  if (!x.IsContiguous()) Fail(op, "x: must be row-major; its shape is ", x.shape().ToString());
  CheckIndexAdd(op, x, 0, index, src);
  AddRowsInto(x, 0, index.DetachedContiguous(), src.DetachedContiguous());
}

const OpDef kIndexSelect = {.name = "index_select",
                            .shape = IndexSelectShape,
                            .forward = IndexSelectForward,
                            .vjp = IndexSelectVjp};
const OpDef kIndexAdd = {
    .name = "index_add", .shape = IndexAddShape, .forward = IndexAddForward, .vjp = IndexAddVjp};
const OpDef kEmbedding = {
    .name = "embedding", .shape = EmbeddingShape, .forward = EmbeddingForward, .vjp = EmbeddingVjp};
const OpDef kGather = {
    .name = "gather", .shape = GatherShape, .forward = GatherForward, .vjp = GatherVjp};
const OpDef kScatterAdd = {.name = "scatter_add",
                           .shape = ScatterAddShape,
                           .forward = ScatterAddForward,
                           .vjp = ScatterAddVjp};
const OpDef kOneHot = {.name = "one_hot", .shape = OneHotShape, .forward = OneHotForward};

}  // namespace lemma
