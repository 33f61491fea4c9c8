#include "autograd/gradient_slot.h"

#include <utility>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/index.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/views.h"

namespace lemma {
namespace {

bool MayOverwrite(const Tensor& sum) {
  return !IsGradEnabled() && sum.IsSoleOwner() && sum.IsContiguous();
}

// A sum that may be added to in place: zeros at first, a copy where someone else sees it.
void MakeWritable(Tensor& sum, const TensorSpec& spec) {
  if (!sum.defined()) {
    sum = Zeros(spec.shape, spec.dtype);
  } else if (!MayOverwrite(sum)) {
    sum = Clone(sum);
  }
}

}  // namespace

void Accumulate(Tensor& sum, Tensor grad) {
  if (!sum.defined()) {
    sum = std::move(grad);
  } else if (MayOverwrite(sum)) {
    AddInPlace(sum, grad);
  } else {
    sum = Add(std::move(sum), std::move(grad));
  }
}

void AccumulateProduct(Tensor& sum, const TensorSpec& spec, const Tensor& a, bool transpose_a,
                       const Tensor& b, bool transpose_b) {
  if (IsGradEnabled()) {
    const Tensor product =
        MatMul(transpose_a ? Transpose(a, 0, 1) : a, transpose_b ? Transpose(b, 0, 1) : b);
    Accumulate(sum, Reshape(product, spec.shape));
    return;
  }
  const bool add = sum.defined();
  if (!add) {
    sum = Tensor::Empty(spec.shape, spec.dtype);
  } else if (!MayOverwrite(sum)) {
    sum = Clone(sum);
  }
  MatMulInto(sum, a, transpose_a, b, transpose_b, /*accumulate=*/add);
}

void AccumulateSlice(Tensor& sum, const TensorSpec& spec, int dim, int64_t start, int64_t step,
                     const Tensor& grad) {
  const int64_t end = start + grad.size(dim) * step;
  if (IsGradEnabled()) {
    Accumulate(sum, PadSlice(grad, spec.shape, dim, start, step));
    return;
  }
  MakeWritable(sum, spec);
  Tensor region = Slice(sum, dim, start, end, step);
  AddInPlace(region, grad);
}

void AccumulateRows(Tensor& sum, const TensorSpec& spec, const Tensor& index, const Tensor& grad) {
  if (IsGradEnabled()) {
    Accumulate(sum, IndexAdd(Zeros(spec.shape, spec.dtype), 0, index, grad));
    return;
  }
  MakeWritable(sum, spec);
  IndexAddInPlace(sum, index, grad);
}

}  // namespace lemma
