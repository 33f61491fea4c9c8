#include "autograd/ops/join.h"

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
  std::vector<int64_t> starts;  // of each input along dim, and the end of the last
};

void ConcatShape(OpCall& call) {
  const int dim = call.attributes<ConcatAlong>().dim;
  Shape shape = call.in(0).shape();
  shape[dim] = 0;
  for (int i = 0; i < call.num_inputs(); ++i) {
    Shape other = call.in(i).shape();
    if (other.rank() == shape.rank()) {
      shape[dim] += other[dim];
      other[dim] = shape[dim];
    }
    if (other != shape) {
      Fail(call.name(), "tensors: all sizes but that of dimension ", dim,
           " must be equal; number 0 is ", call.in(0).shape().ToString(), ", number ", i, " is ",
           call.in(i).shape().ToString());
    }
    CheckSameDType(call.name(), "the first tensor", call.in(0), "a later one", call.in(i));
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
    if (grads.Needs(input)) grads.Add(input, Slice(call.dout(0), dim, starts[i], starts[i + 1]));
  }
}

}  // namespace

Tensor Concat(absl::Span<const Tensor> tensors, int64_t dim) {
  if (tensors.empty()) Fail("concat", "tensors: there must be at least one");
  TensorList list;
  for (const Tensor& x : tensors) {
    CheckDefined("concat", "tensors", x);
    if (x.rank() == 0) Fail("concat", "tensors: a scalar can't be joined; Stack can do that");
    if (x.shape() != Shape{0}) list.push_back(x);
  }
  if (list.empty()) list.push_back(tensors[0]);
  ConcatAlong along{NormalizeDim("concat", dim, list[0].rank()), {0}};
  for (const Tensor& x : list) {
    along.starts.push_back(along.starts.back() +
                           (along.dim < x.rank() ? x.shape()[along.dim] : 0));
  }
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
