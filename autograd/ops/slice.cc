#include "autograd/ops/slice.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "autograd/node.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/reshape.h"

namespace lemma {
namespace {

struct SliceAt {
  int dim;
  int64_t start, size, step;
};

struct SelectAt {
  int dim;
  int64_t index;
};

struct PadTo {
  Shape shape;
  int dim;
  int64_t start, step;
};

Tensor ViewOf(const Tensor& x, Shape shape, Strides strides, int64_t offset) {
  return Tensor::View(x.storage(), x.dtype(), std::move(shape), std::move(strides), offset);
}

void SliceShape(OpCall& call) {
  const SliceAt& at = call.attributes<SliceAt>();
  Shape shape = call.in(0).shape();
  shape[at.dim] = at.size;
  call.AddOutput(std::move(shape), call.in(0).dtype());
}

void SliceForward(OpCall& call) {
  const SliceAt& at = call.attributes<SliceAt>();
  const Tensor& x = call.in(0);
  Strides strides = x.strides();
  const int64_t offset = x.offset() + at.start * strides[at.dim];
  strides[at.dim] *= at.step;
  call.SetOutput(0, ViewOf(x, call.spec(0).shape, std::move(strides), offset));
}

// y = x[start : end : step], so dx is dy there and 0 elsewhere
void SliceVjp(const VjpCall& call, GradSink& grads) {
  const SliceAt& at = call.attributes<SliceAt>();
  if (grads.Needs(0)) grads.AddSlice(0, at.dim, at.start, at.step, call.dout(0));
}

void SelectShape(OpCall& call) {
  Shape shape = call.in(0).shape();
  shape.Erase(call.attributes<SelectAt>().dim);
  call.AddOutput(std::move(shape), call.in(0).dtype());
}

void SelectForward(OpCall& call) {
  const SelectAt& at = call.attributes<SelectAt>();
  const Tensor& x = call.in(0);
  Strides strides = x.strides();
  const int64_t offset = x.offset() + at.index * strides[at.dim];
  strides.erase(strides.begin() + at.dim);
  call.SetOutput(0, ViewOf(x, call.spec(0).shape, std::move(strides), offset));
}

// y = x[index], so dx is dy at index and 0 elsewhere
void SelectVjp(const VjpCall& call, GradSink& grads) {
  const SelectAt& at = call.attributes<SelectAt>();
  if (grads.Needs(0)) grads.AddSlice(0, at.dim, at.index, 1, Unsqueeze(call.dout(0), at.dim));
}

void PadSliceShape(OpCall& call) {
  call.AddOutput(call.attributes<PadTo>().shape, call.in(0).dtype());
}

void PadSliceForward(OpCall& call) {
  const PadTo& to = call.attributes<PadTo>();
  const Tensor& x = call.in(0);
  Tensor& y = call.out(0);
  std::memset(y.mutable_raw_data(), 0, static_cast<size_t>(y.numel()) * SizeOf(y.dtype()));
  Strides strides = y.strides();
  const int64_t offset = to.start * strides[to.dim];
  strides[to.dim] *= to.step;
  Tensor region = ViewOf(y, x.shape(), std::move(strides), offset);
  CopyFrom(region, x);
}

// y = x in the slice and 0 elsewhere, dx is the slice of dy
void PadSliceVjp(const VjpCall& call, GradSink& grads) {
  if (!grads.Needs(0)) return;
  const PadTo& to = call.attributes<PadTo>();
  const int64_t size = call.in_spec(0).shape[to.dim];
  grads.Add(0, Call(kSlice, SliceAt{to.dim, to.start, size, to.step}, call.dout(0)));
}

int64_t ClampBound(int64_t bound, int64_t size) {
  if (bound < 0) bound += size;
  return std::clamp<int64_t>(bound, 0, size);
}

}  // namespace

Tensor Slice(Tensor x, int64_t dim, int64_t start, int64_t end, int64_t step) {
  CheckDefined("slice", "x", x);
  if (x.rank() == 0) Fail("slice", "x: a scalar has no dimension to take a slice of");
  if (step < 1) Fail("slice", "step: must be at least 1; it is ", step);
  SliceAt at;
  at.dim = NormalizeDim("slice", dim, x.rank());
  at.step = step;
  const int64_t size = x.shape()[at.dim];
  at.start = ClampBound(start, size);
  const int64_t length = std::max<int64_t>(ClampBound(end, size) - at.start, 0);
  at.size = length / step + (length % step != 0);
  return Call(kSlice, at, std::move(x));
}

Tensor Select(Tensor x, int64_t dim, int64_t index) {
  CheckDefined("select", "x", x);
  if (x.rank() == 0) Fail("select", "x: a scalar has no dimension to select from");
  const int at = NormalizeDim("select", dim, x.rank());
  const int64_t size = x.shape()[at];
  if (index < -size || index >= size) {
    Fail("select", "index: ", index, " is not in [", -size, ", ", size - 1,
         "], the indices of dimension ", at, " of x, which is ", x.shape().ToString());
  }
  return Call(kSelect, SelectAt{at, index < 0 ? index + size : index}, std::move(x));
}

std::vector<Tensor> Split(const Tensor& x, absl::Span<const int64_t> sizes, int64_t dim) {
  CheckDefined("split", "x", x);
  const int at = NormalizeDim("split", dim, x.rank());
  int64_t sum = 0;
  for (int64_t size : sizes) {
    if (size < 0) Fail("split", "sizes: must be at least 0; one is ", size);
    sum += size;
  }
  if (x.rank() == 0 || sum != x.shape()[at]) {
    Fail("split", "sizes: must sum to the size of dimension ", at, " of x, which is ",
         x.shape().ToString(), "; they sum to ", sum);
  }
  std::vector<Tensor> pieces;
  int64_t start = 0;
  for (int64_t size : sizes) {
    pieces.push_back(Call(kSlice, SliceAt{at, start, size, 1}, x));
    start += size;
  }
  return pieces;
}

std::vector<Tensor> Split(const Tensor& x, int64_t size, int64_t dim) {
  CheckDefined("split", "x", x);
  if (x.rank() == 0) Fail("split", "x: a scalar has no dimension to split");
  const int64_t whole = x.shape()[NormalizeDim("split", dim, x.rank())];
  if (size < 0 || (size == 0 && whole != 0)) {
    Fail("split", "size: must be at least 1; it is ", size);
  }
  std::vector<int64_t> sizes;
  for (int64_t left = whole; left > 0; left -= size) sizes.push_back(std::min(size, left));
  if (sizes.empty()) sizes.push_back(0);
  return Split(x, sizes, dim);
}

std::vector<Tensor> Chunk(const Tensor& x, int64_t chunks, int64_t dim) {
  CheckDefined("chunk", "x", x);
  if (chunks < 1) Fail("chunk", "chunks: must be at least 1; it is ", chunks);
  if (x.rank() == 0) Fail("chunk", "x: a scalar has no dimension to split");
  const int64_t whole = x.shape()[NormalizeDim("chunk", dim, x.rank())];
  if (whole == 0) return Split(x, std::vector<int64_t>(chunks, 0), dim);
  return Split(x, (whole + chunks - 1) / chunks, dim);
}

Tensor PadSlice(Tensor x, const Shape& shape, int64_t dim, int64_t start, int64_t step) {
  CheckDefined("pad_slice", "x", x);
  const int at = NormalizeDim("pad_slice", dim, x.rank());
  Shape expected = shape;
  if (x.rank() > 0 && shape.rank() == x.rank()) expected[at] = x.shape()[at];
  if (x.rank() == 0 || expected != x.shape()) {
    Fail("pad_slice", "x: must have the shape ", shape.ToString(), " but for dimension ", at,
         "; it is ", x.shape().ToString());
  }
  const int64_t last = start + (x.shape()[at] - 1) * step;
  if (start < 0 || step < 1 || (x.shape()[at] > 0 && last >= shape[at])) {
    Fail("pad_slice", "start: the elements ", start, " to ", last, " in steps of ", step,
         " must lie within the size ", shape[at]);
  }
  return Call(kPadSlice, PadTo{shape, at, start, step}, std::move(x));
}

const OpDef kSlice = {
    .name = "slice", .shape = SliceShape, .forward = SliceForward, .vjp = SliceVjp};
const OpDef kSelect = {
    .name = "select", .shape = SelectShape, .forward = SelectForward, .vjp = SelectVjp};
const OpDef kPadSlice = {
    .name = "pad_slice", .shape = PadSliceShape, .forward = PadSliceForward, .vjp = PadSliceVjp};

}  // namespace lemma
