#include "autograd/ops/index.h"

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/create.h"
#include "autograd/kernels/embedding.h"
#include "autograd/node.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/reshape.h"

namespace lemma {
namespace {

struct AlongDim {
  int dim;
};

struct PaddingRow {
  int64_t row;  // -1: none
};

// Calls fn with the C++ type of `dtype`, which is not bool.
template <typename Fn>
void VisitNumber(DType dtype, Fn&& fn) {
  VisitDType(dtype, [&]<typename T>() {
    if constexpr (!std::is_same_v<T, bool>) fn.template operator()<T>();
  });
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
      kernels::GatherRows<T>(count, at.inner, from + o * at.size * at.inner, index.data<int64_t>(),
                             to + o * count * at.inner);
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
  CheckIndexInRange(call.name(), "index", call.in(1), call.in(0).shape()[dim]);
  Shape shape = call.in(0).shape();
  shape[dim] = call.in(1).numel();
  call.AddOutput(std::move(shape), call.in(0).dtype());
}

void IndexSelectForward(OpCall& call) {
  SelectRows(call.dense(0), call.attributes<AlongDim>().dim, call.dense(1), call.out(0));
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
  CheckIndexInRange(op, "index", index, x.shape()[dim]);
}

void IndexAddShape(OpCall& call) {
  CheckIndexAdd(call.name(), call.in(0), call.attributes<AlongDim>().dim, call.in(1), call.in(2));
  call.AddOutput(call.in(0).shape(), call.in(0).dtype());
}

void IndexAddForward(OpCall& call) {
  call.SaveInput(1);
  AddRowsInto(CopyOfInput(call), call.attributes<AlongDim>().dim, call.in(1).DetachedContiguous(),
              call.in(2).DetachedContiguous());
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
  CheckIndexInRange(call.name(), "index", call.in(0), call.in(1).shape()[0]);
  Shape shape = call.in(0).shape();
  shape.Append(call.in(1).shape()[1]);
  call.AddOutput(std::move(shape), call.in(1).dtype());
}

void EmbeddingForward(OpCall& call) {
  SelectRows(call.dense(1), 0, call.dense(0), call.out(0));
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

}  // namespace lemma
