#include "autograd/ops/join.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "autograd/node.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/slice.h"

namespace lemma {
namespace {

struct ConcatAlong {
  int dim;
  int first;                    // the first input that is not nothing
  std::vector<int64_t> starts;  // of each input along dim, and the end of the last
};

// A tensor of shape (0,) joins any others.
bool IsNothing(const Shape& shape) { return shape == Shape{0}; }

void ConcatShape(OpCall& call) {
  const int dim = call.attributes<ConcatAlong>().dim;
  const int first = call.attributes<ConcatAlong>().first;
  Shape shape = call.in(first).shape();
  shape[dim] = 0;
  for (int i = 0; i < call.num_inputs(); ++i) {
    if (call.in(i).dtype() != call.in(0).dtype()) {
      Fail(call.name(), "tensors: all dtypes must be equal; number 0 is ", Name(call.in(0).dtype()),
           ", number ", i, " is ", Name(call.in(i).dtype()), "; Cast it");
    }
    Shape other = call.in(i).shape();
    if (IsNothing(other)) continue;
    if (other.rank() == shape.rank()) {
      shape[dim] += other[dim];
      other[dim] = shape[dim];
    }
    if (other != shape) {
      Fail(call.name(), "tensors: all sizes but that of dimension ", dim, " must be equal; number ",
           first, " is ", call.in(first).shape().ToString(), ", number ", i, " is ",
           call.in(i).shape().ToString());
    }
  }
  call.AddOutput(std::move(shape), call.in(0).dtype());
}

void ConcatForward(OpCall& call) {
  const int dim = call.attributes<ConcatAlong>().dim;
  Tensor& y = call.out(0);
  if (y.numel() == 0) return;
  size_t inner = SizeOf(y.dtype());
  for (int i = dim + 1; i < y.rank(); ++i) inner *= static_cast<size_t>(y.shape()[i]);
  int64_t outer = 1;
  for (int i = 0; i < dim; ++i) outer *= y.shape()[i];
  const size_t row = static_cast<size_t>(y.shape()[dim]) * inner;
  char* column = static_cast<char*>(y.mutable_raw_data());
  for (int i = 0; i < call.num_inputs(); ++i) {
    if (call.in(i).numel() == 0) continue;
    const Tensor x = call.in(i).DetachedContiguous();
    const size_t piece = static_cast<size_t>(x.shape()[dim]) * inner;
    const char* from = static_cast<const char*>(x.raw_data());
    for (int64_t o = 0; o < outer; ++o) std::memcpy(column + o * row, from + o * piece, piece);
    column += piece;
  }
}

// Each input is a slice of y, its gradient that slice of dy
void ConcatVjp(const VjpCall& call, GradSink& grads) {
  const int dim = call.attributes<ConcatAlong>().dim;
  const std::vector<int64_t>& starts = call.attributes<ConcatAlong>().starts;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    const int input = static_cast<int>(i);
    if (!grads.Needs(input)) continue;
    const TensorSpec& spec = call.in_spec(input);
    if (IsNothing(spec.shape)) {
      grads.Add(input, Tensor::Empty(spec.shape, spec.dtype));
    } else {
      grads.Add(input, Slice(call.dout(0), dim, starts[i], starts[i + 1]));
    }
  }
}

}  // namespace

Tensor Concat(absl::Span<const Tensor> tensors, int64_t dim) {
  if (tensors.empty()) Fail("concat", "tensors: there must be at least one");
  ConcatAlong along{0, 0, {0}};
  for (const Tensor& x : tensors) {
    CheckDefined("concat", "tensors", x);
    if (x.rank() == 0) Fail("concat", "tensors: a scalar can't be joined; Stack can do that");
  }
  const auto first = std::find_if(tensors.begin(), tensors.end(),
                                  [](const Tensor& x) { return !IsNothing(x.shape()); });
  if (first != tensors.end()) along.first = static_cast<int>(first - tensors.begin());
  along.dim = NormalizeDim("concat", dim, tensors[along.first].rank());
  for (const Tensor& x : tensors) {
    const int64_t size = along.dim < x.rank() ? x.shape()[along.dim] : 0;
    along.starts.push_back(along.starts.back() + size);
  }
  TensorList list(tensors.begin(), tensors.end());
  return std::move(CallWithList(kConcat, std::move(along), std::move(list))[0]);
}

Tensor Stack(absl::Span<const Tensor> tensors, int64_t dim) {
  if (tensors.empty()) Fail("stack", "tensors: there must be at least one");
  CheckDefined("stack", "tensors", tensors[0]);
  const Shape& shape = tensors[0].shape();
  const int at = NormalizeDim("stack", dim, shape.rank() + 1);
  std::vector<Tensor> rows;
  for (const Tensor& x : tensors) {
    CheckDefined("stack", "tensors", x);
    if (x.shape() != shape) {
      Fail("stack", "tensors: all shapes must be equal; the first is ", shape.ToString(),
           ", another is ", x.shape().ToString());
    }
    rows.push_back(Unsqueeze(x, at));
  }
  return Concat(rows, at);
}

const OpDef kConcat = {
    .name = "concat", .shape = ConcatShape, .forward = ConcatForward, .vjp = ConcatVjp};

}  // namespace lemma
