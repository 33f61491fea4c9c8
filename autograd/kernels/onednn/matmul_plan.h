// A matrix product of float32 or bfloat16 cut into pieces by its shape, each a oneDNN primitive on
// one thread.
//
//   const MatMulPlan* plan = MatMulPlan::Find(spec);  // null: oneDNN has no fast kernel for it
//   if (plan != nullptr) plan->Run(a, b, bias, c);
//
// Plans are found by their spec in a table of each thread's own, so that a call of a known shape
// takes no lock and allocates nothing.
#ifndef LEMMA_AUTOGRAD_KERNELS_ONEDNN_MATMUL_PLAN_H_
#define LEMMA_AUTOGRAD_KERNELS_ONEDNN_MATMUL_PLAN_H_

#include <cstdint>
#include <memory>

#include "autograd/kernels/matmul_split.h"
#include "autograd/kernels/onednn/product.h"
#include "autograd/kernels/parallel.h"

namespace lemma::kernels::onednn {

class MatMulPlan {
 public:
  // The plan of `spec`, whose sizes are at least 1; null when oneDNN has no fast kernel for it on
  // this processor. It stays until this thread asks for another plan; others may run it too.
  static const MatMulPlan* Find(const ProductSpec& spec);

  explicit MatMulPlan(const ProductSpec& spec);

  // Pieces are shared by the threads of ParallelChunks. `bias` is read when the spec has one.
  void Run(const void* a, const void* b, const void* bias, void* c) const;

 private:
  // One axis cut into parts of `size`, the last one of `last`.
  struct Axis {
    Axis(int64_t length, int64_t part)
        : size(part), count(NumChunks(length, part)), last(length - (count - 1) * part) {}

    int64_t size, count, last;
  };

  void RunPiece(int64_t piece, const void* a, const void* b, const void* bias, void* c) const;

  const ProductSpec spec_;
  const MatMulSplit split_;
  const bool copies_a_;  // each piece first puts its rows of a, which is transposed, into row order
  const Axis batch_, rows_, cols_;
  std::unique_ptr<const Product> products_[2][2][2];  // [last of batch][last rows][last columns]
  bool fast_ = true;
};

}  // namespace lemma::kernels::onednn

#endif  // LEMMA_AUTOGRAD_KERNELS_ONEDNN_MATMUL_PLAN_H_
