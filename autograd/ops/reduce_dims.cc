#include "autograd/ops/reduce_dims.h"

#include "autograd/error.h"

namespace lemma::internal {

DimMask MaskOf(const char* op, absl::Span<const int64_t> dims, int rank) {
  if (rank > 64) Fail(op, "x: at most 64 dimensions can be reduced; x has ", rank);
  if (dims.empty()) return rank == 64 ? ~DimMask{0} : (DimMask{1} << rank) - 1;
  DimMask mask = 0;
  for (int64_t dim : dims) {
    const DimMask bit = DimMask{1} << NormalizeDim(op, dim, rank);
    if (mask & bit) Fail(op, "dims: dimension ", dim, " is named twice");
    mask |= bit;
  }
  return mask;
}

absl::InlinedVector<int64_t, 6> DimsOf(DimMask mask) {
  absl::InlinedVector<int64_t, 6> dims;
  for (int i = 0; i < 64; ++i) {
    if ((mask >> i) & 1) dims.push_back(i);
  }
  return dims;
}

Shape KeptShape(const Shape& shape, DimMask mask) {
  Shape kept = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if ((mask >> i) & 1) kept[i] = 1;
  }
  return kept;
}

Shape DroppedShape(const Shape& shape, DimMask mask) {
  Shape dropped;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!((mask >> i) & 1)) dropped.Append(shape[i]);
  }
  return dropped;
}

int64_t ReducedCount(const Shape& shape, DimMask mask) {
  int64_t count = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if ((mask >> i) & 1) count *= shape[i];
  }
  return count;
}

std::vector<ReducePass> PassesOf(const Shape& shape, DimMask mask) {
  std::vector<ReducePass> passes;
  int64_t inner = 1;
  for (int i = shape.rank() - 1; i >= 0;) {
    if (!((mask >> i) & 1)) {
      inner *= shape[i--];
      continue;
    }
    int64_t n = 1;
    for (; i >= 0 && ((mask >> i) & 1); --i) n *= shape[i];
    int64_t outer = 1;
    for (int j = 0; j <= i; ++j) outer *= shape[j];
    passes.push_back({outer, n, inner});
  }
  if (passes.empty()) passes.push_back({shape.numel(), 1, 1});
  return passes;
}

}  // namespace lemma::internal
