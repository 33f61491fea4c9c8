// What MatMul does to a call before a kernel sees it: batches joined, strides put in the one form
// that kernels take, copies where they cannot.
#ifndef LEMMA_AUTOGRAD_KERNELS_MATMUL_LAYOUT_H_
#define LEMMA_AUTOGRAD_KERNELS_MATMUL_LAYOUT_H_

#include <cstdint>

#include "autograd/dtype.h"
#include "autograd/kernels/matmul.h"

namespace lemma::kernels {

// Joins batch axes with each other, and with the rows where b is the same for all of them, so that
// (B, T, C) times (C, O) is one product of B * T rows. The batch that is left is batch[1] first.
void JoinBatches(MatMulCall& call);

// True when the inner batches of a, b and c are arrays of three axes without overlap; one of a and
// b may be the same matrix for all.
bool InnerBatchIsArray(const MatMulCall& call);

// Working memory that this thread keeps and uses again.
enum class Side { kA, kB, kC };
template <typename T>
T* MatMulScratch(Side side, int64_t count);

// The (rows, cols) matrices of `operand` as To with one stride of 1 and the other no shorter than a
// line: as they are where possible, else copied into the scratch of `side`.
template <typename From, typename To>
MatMulOperand WithLines(const MatMulOperand& operand, const int64_t (&batch)[2], int64_t rows,
                        int64_t cols, Side side);

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_MATMUL_LAYOUT_H_
