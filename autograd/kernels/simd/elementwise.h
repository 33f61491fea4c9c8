// The float element-wise kernels. See autograd/kernels/elementwise.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_ELEMENTWISE_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_ELEMENTWISE_H_

#include <cstdint>

namespace lemma::kernels::simd {

void AddInto(int64_t n, const float* x, float* y);
void AddArrays(int64_t n, const float* a, const float* b, float* out);
void Axpy(int64_t n, float alpha, const float* x, float* y);
void ScaleArray(int64_t n, float alpha, const float* x, float* y);
void ColumnSumInto(int64_t rows, int64_t columns, const float* x, float* sum);
void DropoutApply(int64_t n, const float* x, const float* keep, float scale, float* y);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_ELEMENTWISE_H_
