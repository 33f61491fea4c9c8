#include "autograd/ops/reshape.h"

#include <algorithm>
#include <utility>

#include "autograd/kernels/transpose.h"
#include "autograd/node.h"
#include "autograd/ops/checks.h"

namespace lemma {
namespace {

struct ReshapeTo {
  Shape shape;
};

struct PermuteBy {
  absl::InlinedVector<int, 6> dims;
};

struct ExpandTo {
  Shape shape;
};

Tensor ViewOf(const Tensor& x, Shape shape, Strides strides, int64_t offset) {
  return Tensor::View(x.storage(), x.dtype(), std::move(shape), std::move(strides), offset);
}

// `shape` with -1 replaced by what the number of elements asks for.
Shape ResolveShape(const Tensor& x, const Shape& shape) {
  Shape resolved = shape;
  int inferred = -1;
  int64_t known = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] >= 0) {
      known *= shape[i];
    } else if (shape[i] != -1) {
      Fail("reshape", "shape: sizes are at least 0, or -1 for one; the shape is ",
           shape.ToString());
    } else if (inferred >= 0) {
      Fail("reshape", "shape: only one size can be -1; the shape is ", shape.ToString());
    } else {
      inferred = i;
    }
  }
  if (inferred >= 0) {
    if (known == 0) {
      Fail("reshape", "shape: beside a size of 0, a size of -1 could be any; the shape is ",
           shape.ToString());
    }
    resolved[inferred] = x.numel() / known;
  }
  if (resolved.numel() != x.numel()) {
    Fail("reshape", "shape: ", shape.ToString(), " does not hold the ", x.numel(),
         " elements of x, which is ", x.shape().ToString());
  }
  return resolved;
}

// Strides that read the elements at `strides` in row-major order under the shape `to`. Goes from
// the last dimension to the first over runs of dimensions of x that could be one dimension; each
// run must be filled by whole dimensions of `to`. False where a copy is needed.
bool ViewStrides(const Shape& shape, const Strides& strides, const Shape& to, Strides* result) {
  *result = ContiguousStrides(to);
  if (shape.numel() == 0 || shape.rank() == 0) return true;
  int next = to.rank() - 1;
  int64_t run = 1, filled = 1, stride = strides.back();
  for (int i = shape.rank() - 1; i >= 0; --i) {
    run *= shape[i];
    const bool run_goes_on = i > 0 && (shape[i - 1] == 1 || strides[i - 1] == run * stride);
    if (run_goes_on) continue;
    while (next >= 0 && (filled < run || to[next] == 1)) {
      (*result)[next] = filled * stride;
      filled *= to[next--];
    }
    if (filled != run) return false;
    if (i > 0) {
      stride = strides[i - 1];
      run = filled = 1;
    }
  }
  return next < 0;
}

void ReshapeShape(OpCall& call) {
  call.AddOutput(call.attributes<ReshapeTo>().shape, call.in(0).dtype());
}

void ReshapeForward(OpCall& call) {
  const Shape& to = call.attributes<ReshapeTo>().shape;
  const Tensor& x = call.in(0);
  Strides strides;
  if (ViewStrides(x.shape(), x.strides(), to, &strides)) {
    call.SetOutput(0, ViewOf(x, to, std::move(strides), x.offset()));
  } else {
    const Tensor dense = x.DetachedContiguous();
    call.SetOutput(0, ViewOf(dense, to, ContiguousStrides(to), dense.offset()));
  }
}

// y[i] = x[i] in row-major order, so is dx
void ReshapeVjp(const VjpCall& call, GradSink& grads) {
  if (grads.Needs(0)) grads.Add(0, Reshape(call.dout(0), call.in_spec(0).shape));
}

void PermuteShape(OpCall& call) {
  Shape shape = call.in(0).shape();
  const auto& dims = call.attributes<PermuteBy>().dims;
  for (int i = 0; i < shape.rank(); ++i) shape[i] = call.in(0).shape()[dims[i]];
  call.AddOutput(std::move(shape), call.in(0).dtype());
}

void PermuteForward(OpCall& call) {
  const Tensor& x = call.in(0);
  Strides strides = x.strides();
  const auto& dims = call.attributes<PermuteBy>().dims;
  for (int i = 0; i < x.rank(); ++i) strides[i] = x.strides()[dims[i]];
  call.SetOutput(0, ViewOf(x, call.spec(0).shape, std::move(strides), x.offset()));
}

// dx is dy under the inverse permutation
void PermuteVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const auto& dims = call.attributes<PermuteBy>().dims;
  absl::InlinedVector<int64_t, 6> inverse(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) inverse[dims[i]] = static_cast<int64_t>(i);
  grads.Add(0, Permute(call.dout(0), inverse));
}

void ExpandShape(OpCall& call) {
  call.AddOutput(call.attributes<ExpandTo>().shape, call.in(0).dtype());
}

void ExpandForward(OpCall& call) {
  const Tensor& x = call.in(0);
  const Shape& to = call.spec(0).shape;
  call.SetOutput(0, ViewOf(x, to, BroadcastStrides(x.shape(), x.strides(), to), x.offset()));
}

// Every copy adds its gradient; the sink sums them
void ExpandVjp(const VjpCall& call, GradSink& grads) { grads.Add(0, call.dout(0)); }

void SameShape(OpCall& call) { call.AddOutput(call.in(0).shape(), call.in(0).dtype()); }

void AliasForward(OpCall& call) {
  const Tensor& x = call.in(0);
  call.SetOutput(0, ViewOf(x, x.shape(), x.strides(), x.offset()));
}

// The dimension d for which x is a row-major tensor with d and d + 1 swapped, as Transpose makes
// it; -1 where there is none.
int SwappedDim(const Tensor& x) {
  for (int d = 0; d + 1 < x.rank(); ++d) {
    Shape shape = x.shape();
    std::swap(shape[d], shape[d + 1]);
    Strides strides = ContiguousStrides(shape);
    std::swap(strides[d], strides[d + 1]);
    if (strides == x.strides()) return d;
  }
  return -1;
}

void CloneForward(OpCall& call) {
  const Tensor& x = call.in(0);
  const int swapped = x.dtype() == DType::kFloat32 && !x.IsContiguous() ? SwappedDim(x) : -1;
  if (swapped >= 0) {
    const Shape& shape = x.shape();
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < swapped; ++i) outer *= shape[i];
    for (int i = swapped + 2; i < shape.rank(); ++i) inner *= shape[i];
    kernels::SwapMiddleAxes<float>(outer, shape[swapped + 1], shape[swapped], inner,
                                   x.data<float>(), call.out(0).mutable_data<float>());
    return;
  }
  CopyStrided(x.dtype(), x.shape(), x.raw_data(), x.strides(), call.out(0).mutable_raw_data());
}

// y = x, dx = dy
void IdentityVjp(const VjpCall& call, GradSink& grads) { grads.Add(0, call.dout(0)); }

}  // namespace

Tensor Reshape(Tensor x, const Shape& shape) {
  CheckDefined("reshape", "x", x);
  if (shape == x.shape()) return x;
  Shape to = ResolveShape(x, shape);
  if (to == x.shape()) return x;
  return Call(kReshape, ReshapeTo{std::move(to)}, std::move(x));
}

Tensor Flatten(Tensor x, int64_t start, int64_t end) {
  CheckDefined("flatten", "x", x);
  const int first = NormalizeDim("flatten", start, x.rank());
  const int last = NormalizeDim("flatten", end, x.rank());
  if (first > last) Fail("flatten", "start: ", start, " lies behind end, ", end);
  Shape to;
  for (int i = 0; i < first; ++i) to.Append(x.shape()[i]);
  int64_t merged = 1;
  for (int i = first; i <= last && i < x.rank(); ++i) merged *= x.shape()[i];
  to.Append(merged);
  for (int i = last + 1; i < x.rank(); ++i) to.Append(x.shape()[i]);
  return Reshape(std::move(x), to);
}

Tensor Unsqueeze(Tensor x, int64_t dim) {
  CheckDefined("unsqueeze", "x", x);
  Shape to = x.shape();
  to.Insert(NormalizeDim("unsqueeze", dim, x.rank() + 1), 1);
  return Reshape(std::move(x), to);
}

Tensor Squeeze(Tensor x, int64_t dim) {
  CheckDefined("squeeze", "x", x);
  const int at = NormalizeDim("squeeze", dim, x.rank());
  if (x.rank() == 0 || x.shape()[at] != 1) return x;
  Shape to = x.shape();
  to.Erase(at);
  return Reshape(std::move(x), to);
}

Tensor Squeeze(Tensor x) {
  CheckDefined("squeeze", "x", x);
  Shape to;
  for (int64_t size : x.shape()) {
    if (size != 1) to.Append(size);
  }
  return Reshape(std::move(x), to);
}

Tensor Transpose(Tensor x, int64_t dim0, int64_t dim1) {
  CheckDefined("transpose", "x", x);
  const int a = NormalizeDim("transpose", dim0, x.rank());
  const int b = NormalizeDim("transpose", dim1, x.rank());
  PermuteBy by;
  for (int i = 0; i < x.rank(); ++i) by.dims.push_back(i);
  if (x.rank() > 0) std::swap(by.dims[a], by.dims[b]);
  return Call(kPermute, std::move(by), std::move(x));
}

Tensor Permute(Tensor x, absl::Span<const int64_t> dims) {
  CheckDefined("permute", "x", x);
  if (static_cast<int>(dims.size()) != x.rank()) {
    Fail("permute", "dims: there must be one for each dimension of x, which is ",
         x.shape().ToString(), "; given were ", dims.size());
  }
  PermuteBy by;
  for (int64_t dim : dims) {
    const int at = NormalizeDim("permute", dim, x.rank());
    if (std::find(by.dims.begin(), by.dims.end(), at) != by.dims.end()) {
      Fail("permute", "dims: dimension ", at, " is named twice");
    }
    by.dims.push_back(at);
  }
  return Call(kPermute, std::move(by), std::move(x));
}

Tensor Expand(Tensor x, const Shape& shape) {
  CheckDefined("expand", "x", x);
  Shape to = shape;
  const int extra = to.rank() - x.rank();
  for (int i = 0; i < to.rank(); ++i) {
    if (to[i] == -1 && i >= extra && extra >= 0) to[i] = x.shape()[i - extra];
    if (to[i] < 0) {
      Fail("expand", "shape: sizes are at least 0, or -1 to keep a size of x; the shape is ",
           shape.ToString(), ", x is ", x.shape().ToString());
    }
  }
  if (!BroadcastsTo(x.shape(), to)) {
    Fail("expand", "shape: only dimensions of size 1 can be stretched; the shape is ",
         shape.ToString(), ", x is ", x.shape().ToString());
  }
  if (to == x.shape()) return x;
  return Call(kExpand, ExpandTo{std::move(to)}, std::move(x));
}

Tensor Alias(Tensor x) {
  CheckDefined("alias", "x", x);
  return Call(kAlias, {}, std::move(x));
}

Tensor Clone(const Tensor& x) {
  CheckDefined("clone", "x", x);
  return Call(kClone, {}, x);
}

Tensor Contiguous(Tensor x) {
  CheckDefined("contiguous", "x", x);
  if (x.IsContiguous()) return x;
  return Call(kClone, {}, std::move(x));
}

Tensor Detach(const Tensor& x) {
  CheckDefined("detach", "x", x);
  return x.Detach();
}

const OpDef kReshape = {
    .name = "reshape", .shape = ReshapeShape, .forward = ReshapeForward, .vjp = ReshapeVjp};
const OpDef kPermute = {
    .name = "permute", .shape = PermuteShape, .forward = PermuteForward, .vjp = PermuteVjp};
const OpDef kExpand = {
    .name = "expand", .shape = ExpandShape, .forward = ExpandForward, .vjp = ExpandVjp};
const OpDef kAlias = {
    .name = "alias", .shape = SameShape, .forward = AliasForward, .vjp = IdentityVjp};
const OpDef kClone = {
    .name = "clone", .shape = SameShape, .forward = CloneForward, .vjp = IdentityVjp};

}  // namespace lemma
