// A few rows times a matrix whose columns are contiguous: a layer's weights, stored (out, in), at
// the positions of a short text.
//
// Lanes of a vector are rows of x, which is transposed first; w is read once, in order, as it lies,
// and its numbers are spread over vectors. Each part of the rows reads all of w, so this pays where
// copying w into another layout would take as long as a good part of the sums.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_FEW_ROWS_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_FEW_ROWS_H_

#include <cstdint>

namespace lemma::kernels::simd {

struct FewRowsProduct {
  int64_t m, n, k;  // at least 1
  const float* x;   // (m, k), rows x_row apart
  int64_t x_row;
  const float* w;  // (n, k), rows w_row apart
  int64_t w_row;
  const float* bias;  // (n), null for none
  float* c;           // (m, n), rows c_row apart
  int64_t c_row;
};

// Whether oneDNN takes longer for it: with AVX2 or AVX-512, up to 64 rows that fill whole vectors,
// in matrices neither tiny nor deeper than a layer's (measured, 1.1 to 1.4 times as long; with more
// rows, or with vectors half empty, oneDNN is faster).
bool FewRowsPay(int64_t m, int64_t n, int64_t k);

// c = x w^T [+ bias]. Sums run through k in order, one multiply-add after the other, fused where
// the target has that; their bits depend on nothing else. Shares the work by ParallelChunks.
void MultiplyFewRows(const FewRowsProduct& product);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_FEW_ROWS_H_
