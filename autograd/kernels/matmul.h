// Matrix products on raw memory, in batches.
//
//   // y (rows, out) = x (rows, in) W^T + bias, W stored (out, in) as layers keep it
//   MatMulCall call;
//   call.m = rows, call.n = out, call.k = in;
//   call.a = {x, /*row=*/in, /*col=*/1};
//   call.b = {w, /*row=*/1, /*col=*/in};
//   call.c = y, call.c_row = out;
//   call.bias = bias;
//   MatMul(call);
//
// All strides and sizes count elements, not bytes. A transpose is a swap of strides, a broadcast
// is a stride of 0. Every combination is right; fast are matrices with a row or column stride of 1
// whose other stride is no shorter than a line, which covers slices, heads of a packed (B, T, 3C)
// array and transposes of both. Others are copied first.
//
// float32 and bfloat16 run in oneDNN, larger products on processors with AMX in amx/matmul.h,
// float64 in Eigen, the integers and the smallest products in reference/matmul.h, which is the
// definition. Products by a matrix stored (out, in) run in simd/matvec.h for one row and, of
// float32, in simd/few_rows.h for a few. bfloat16 products are summed in float32.
// ONEDNN_MAX_CPU_ISA bounds what oneDNN and the tiles use of the processor.
//
// The bits of c do not depend on the number of threads: a large product is cut into rows and
// columns of c by its shape alone (matmul_split.h), each piece is one thread's, and no sum is cut
// by the threads.
//
// Any number of threads may call MatMul at a time. c must not overlap a, b or bias. In a steady
// state, when all shapes were seen before, nothing is allocated and no primitive is created.
#ifndef LEMMA_AUTOGRAD_KERNELS_MATMUL_H_
#define LEMMA_AUTOGRAD_KERNELS_MATMUL_H_

#include <cstdint>

#include "autograd/dtype.h"

namespace lemma::kernels {

// Element (i, j) of matrix (b0, b1) of a batch is
// data[b0 * batch[0] + b1 * batch[1] + i * row + j * col].
struct MatMulOperand {
  const void* data = nullptr;
  int64_t row = 0;
  int64_t col = 0;
  int64_t batch[2] = {0, 0};
};

// c (m, n) = a (m, k) b (k, n) [+ bias (n)] [+ c], for each of batch[0] x batch[1] matrices.
struct MatMulCall {
  DType dtype = DType::kFloat32;      // of a and b; not bool
  DType out_dtype = DType::kFloat32;  // of c; that of a and b, or float32 when they are bfloat16
  int64_t batch[2] = {1, 1};
  int64_t m = 0, n = 0, k = 0;
  MatMulOperand a;
  MatMulOperand b;
  void* c = nullptr;
  int64_t c_row = 0;            // at least n; columns of c are neighbours
  int64_t c_batch[2] = {0, 0};  // matrices of c do not overlap
  const void* bias = nullptr;   // float32 for bfloat16 products, else of the type of a and b
  bool accumulate = false;      // add to what c holds
};

// An empty c is left alone; an empty sum (k = 0) is 0.
void MatMul(const MatMulCall& call);

// Whether bfloat16 is multiplied faster than float32 here: the processor has AMX, or AVX512-BF16
// that is no slower than its float32. Without it, larger products of bfloat16 are products of
// float32 copies.
bool HasFastBFloat16();

// How many oneDNN primitives MatMul has created since the program began. It stands still once every
// shape has been seen.
int64_t MatMulPrimitivesCreated();

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_MATMUL_H_
