// Products of bfloat16 and of float32 matrices in the tiles of AMX, the bfloat16 multipliers of
// Intel's processors since Sapphire Rapids, summed in float32.
//
// float32 goes in as three bfloat16 (pieces.h), of which six products are summed: as exact as
// multiply-adds of float32, and up to twice as fast where no other program keeps the tiles' unit
// busy. It differs from float32 in this alone: pieces and sums below 2^-126 are 0, so that numbers
// below 2^-102 lose their last bits. Infinities, NaN and numbers near the largest come out as in
// float32, slowly.
#ifndef LEMMA_AUTOGRAD_KERNELS_AMX_MATMUL_H_
#define LEMMA_AUTOGRAD_KERNELS_AMX_MATMUL_H_

#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"

namespace lemma::kernels::amx {

// Of the two strides of a matrix one is 1. T is float or BFloat16.
template <typename T>
struct Matrix {
  const T* data;
  int64_t row, col;
};

// Products of T of no more depth than this are summed in one go.
template <typename T>
inline constexpr int64_t kMaxDepth = std::is_same_v<T, float> ? 512 : 1536;

// c (m, n) = a (m, k) b (k, n) [+ bias (n)] [+ c]; all sizes at least 1. Columns of c are
// neighbours, its rows c_row apart. Out is float; or BFloat16, where k is at most kMaxDepth<T>.
template <typename T, typename Out>
struct Product {
  int64_t m, n, k;
  Matrix<T> a, b;
  Out* c;
  int64_t c_row;
  const float* bias;  // null for none
  bool accumulate;
};

// Whether the product of these sizes is large enough to take less time here than elsewhere.
template <typename T>
bool Pays(int64_t m, int64_t n, int64_t k);

// Only where onednn::HasTiles(). The bits of c do not depend on the number of threads. Shares the
// work by ParallelChunks.
template <typename T, typename Out>
void MatMul(const Product<T, Out>& product);

}  // namespace lemma::kernels::amx

#endif  // LEMMA_AUTOGRAD_KERNELS_AMX_MATMUL_H_
