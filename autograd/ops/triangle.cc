#include "autograd/ops/triangle.h"

#include <algorithm>
#include <utility>

#include "autograd/node.h"
#include "autograd/ops/checks.h"

namespace lemma {
namespace {

struct AtDiagonal {
  int64_t diagonal;
};

// Copies a matrix with 0 in row i outside of columns [begin(i), end(i)).
template <typename T, typename Begin, typename End>
void CopyBand(int64_t rows, int64_t columns, Begin begin, End end, const T* x, T* y) {
  for (int64_t i = 0; i < rows; ++i, x += columns, y += columns) {
    const int64_t first = std::clamp<int64_t>(begin(i), 0, columns);
    const int64_t last = std::clamp<int64_t>(end(i), first, columns);
    std::fill_n(y, first, T());
    if (x != y) std::copy(x + first, x + last, y + first);
    std::fill_n(y + last, columns - last, T());
  }
}

void SameShape(OpCall& call) {
  CheckMinRank(call.name(), "x", call.in(0), 2);
  call.AddOutput(call.in(0).shape(), call.in(0).dtype());
}

template <typename Begin, typename End>
void Forward(OpCall& call, Begin begin, End end) {
  Tensor& y = call.OutputOver(0, 0);
  const Tensor x = call.in(0).DetachedContiguous();
  const int64_t rows = x.size(-2), columns = x.size(-1);
  if (x.numel() == 0) return;
  VisitDType(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    for (int64_t at = 0; at < x.numel(); at += rows * columns) {
      CopyBand<T>(rows, columns, begin, end, from + at, to + at);
    }
  });
}

void TrilForward(OpCall& call) {
  const int64_t diagonal = call.attributes<AtDiagonal>().diagonal;
  Forward(
      call, [](int64_t) { return 0; }, [=](int64_t i) { return i + diagonal + 1; });
}

void TriuForward(OpCall& call) {
  const int64_t diagonal = call.attributes<AtDiagonal>().diagonal;
  const int64_t columns = call.in(0).size(-1);
  Forward(
      call, [=](int64_t i) { return i + diagonal; }, [=](int64_t) { return columns; });
}

// y = x or 0, dx = dy or 0
void TrilVjp(const VjpCall& call, GradSink& grads) {
  if (grads.Needs(0)) grads.Add(0, Tril(call.dout(0), call.attributes<AtDiagonal>().diagonal));
}

void TriuVjp(const VjpCall& call, GradSink& grads) {
  if (grads.Needs(0)) grads.Add(0, Triu(call.dout(0), call.attributes<AtDiagonal>().diagonal));
}

}  // namespace

Tensor Tril(Tensor x, int64_t diagonal) {
  CheckDefined("tril", "x", x);
  return Call(kTril, AtDiagonal{diagonal}, std::move(x));
}

Tensor Triu(Tensor x, int64_t diagonal) {
  CheckDefined("triu", "x", x);
  return Call(kTriu, AtDiagonal{diagonal}, std::move(x));
}

const OpDef kTril = {.name = "tril", .shape = SameShape, .forward = TrilForward, .vjp = TrilVjp};
const OpDef kTriu = {.name = "triu", .shape = SameShape, .forward = TriuForward, .vjp = TriuVjp};

}  // namespace lemma
