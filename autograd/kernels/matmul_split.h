// How a matrix product is cut into pieces, each the work of one thread.
#ifndef LEMMA_AUTOGRAD_KERNELS_MATMUL_SPLIT_H_
#define LEMMA_AUTOGRAD_KERNELS_MATMUL_SPLIT_H_

#include <cstdint>

namespace lemma::kernels {

struct MatMulShape {
  int64_t batch, m, n, k;
  bool a_transposed;  // the columns of a are contiguous, not its rows
  bool b_transposed;
  bool bfloat16 = false;  // multiplied some four times as fast as float32
};

// A piece is `batch` whole products, or `rows` x `cols` of the result of one; the last ones along
// an axis may be smaller. The summed dimension k is never cut.
struct MatMulSplit {
  int64_t batch, rows, cols;
};

// Depends on the shape alone, so that results have the same bits for any number of threads. Weighs
// what a piece costs beyond its sums (copies of the operands into the kernel's layout, short sides)
// against the time that 1 to 4 threads then take.
MatMulSplit SplitMatMul(const MatMulShape& shape);

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_MATMUL_SPLIT_H_
