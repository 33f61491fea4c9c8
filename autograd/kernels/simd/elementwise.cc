#include "autograd/kernels/simd/elementwise.h"

#include "autograd/kernels/reference/elementwise.h"

namespace lemma::kernels::simd {

void AddInto(int64_t n, const float* x, float* y) {
  reference::AddInto<float>(n, x, y);
}

void AddArrays(int64_t n, const float* a, const float* b, float* out) {
  reference::AddArrays<float>(n, a, b, out);
}

void Axpy(int64_t n, float alpha, const float* x, float* y) {
  reference::Axpy<float>(n, alpha, x, y);
}

void ScaleArray(int64_t n, float alpha, const float* x, float* y) {
  reference::ScaleArray<float>(n, alpha, x, y);
}

void ColumnSumInto(int64_t rows, int64_t columns, const float* x, float* sum) {
  reference::ColumnSumInto<float>(rows, columns, x, sum);
}

void DropoutApply(int64_t n, const float* x, const float* keep, float scale, float* y) {
  reference::DropoutApply<float>(n, x, keep, scale, y);
}

}  // namespace lemma::kernels::simd
