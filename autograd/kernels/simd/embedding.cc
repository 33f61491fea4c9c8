#include "autograd/kernels/simd/embedding.h"

#include "autograd/kernels/reference/embedding.h"

namespace lemma::kernels::simd {

void GatherRows(int64_t count, int64_t columns, const float* table, const int64_t* index,
                float* out) {
  reference::GatherRows<float>(count, columns, table, index, out);
}

void ScatterAddRows(int64_t count, int64_t columns, const float* src, const int64_t* index,
                    int64_t rows, float* table) {
  reference::ScatterAddRows<float>(count, columns, src, index, rows, table);
}

}  // namespace lemma::kernels::simd
