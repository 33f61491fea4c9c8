// Matrix products of float64, in Eigen: for gradient checks and for users who need the digits.
#ifndef LEMMA_AUTOGRAD_KERNELS_EIGEN_MATMUL_H_
#define LEMMA_AUTOGRAD_KERNELS_EIGEN_MATMUL_H_

#include <cstdint>

namespace lemma::kernels::eigen {

// A matrix in row order, or in column order when `transposed`; `line` is the distance between rows,
// or columns, in elements.
struct Matrix {
  const double* data;
  int64_t line;
  bool transposed;
};

// c (m, n) = a (m, k) b (k, n) [+ bias (n)] [+ c] in row order, rows c_row apart. All sizes are at
// least 1. Rows are cut by shape alone, so the bits do not depend on the number of threads.
void MatMul(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, double* c,
            int64_t c_row, const double* bias, bool accumulate);

}  // namespace lemma::kernels::eigen

#endif  // LEMMA_AUTOGRAD_KERNELS_EIGEN_MATMUL_H_
