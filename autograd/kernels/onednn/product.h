// One oneDNN matmul primitive that runs on the calling thread.
//
// Primitives are expensive to create and may be shared by threads; what they run on (memory
// objects and scratchpad) may not, and is kept by each thread for the products it ran last.
#ifndef LEMMA_AUTOGRAD_KERNELS_ONEDNN_PRODUCT_H_
#define LEMMA_AUTOGRAD_KERNELS_ONEDNN_PRODUCT_H_

#include <cstdint>
#include <memory>

#include "autograd/dtype.h"

namespace lemma::kernels::onednn {

// Layouts of a batch of products c (m, n) = a (m, k) b (k, n) [+ bias] [+ c], in elements. A batch
// stride of 0 means that one matrix serves the whole batch; that of c is not 0 unless batch is 1.
// Of the two strides of a, and of b, one is 1 and the other no shorter than a line.
struct ProductSpec {
  int64_t batch, m, n, k;
  int64_t a_batch, a_row, a_col;
  int64_t b_batch, b_row, b_col;
  int64_t c_batch, c_row;
  DType dtype, out_dtype;  // float32 or bfloat16
  bool has_bias, accumulate;
};

class Product {
 public:
  // Null when oneDNN has nothing better than plain loops for it, and for bfloat16 on processors
  // that multiply float32 faster.
  static std::unique_ptr<const Product> Create(const ProductSpec& spec);

  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  // `bias` is float32. Uses no thread but the caller's, whatever OpenMP is set to.
  void Run(const void* a, const void* b, const void* bias, void* c) const;

 private:
  struct State;
  struct Bound;
  explicit Product(std::unique_ptr<State> state);
  Bound& BoundHere() const;

  const int64_t id_;
  const std::unique_ptr<State> state_;
};

// Whether the processor multiplies bfloat16 faster than float32, as ONEDNN_MAX_CPU_ISA lets it.
bool HasFastBFloat16();

// Whether the processor has AMX's tiles of bfloat16, the system lets this process use them, and
// ONEDNN_MAX_CPU_ISA does not rule them out.
bool HasTiles();

// How many primitives were created so far.
int64_t ProductsCreated();

}  // namespace lemma::kernels::onednn

#endif  // LEMMA_AUTOGRAD_KERNELS_ONEDNN_PRODUCT_H_
