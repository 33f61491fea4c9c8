// Gather and scatter-add of rows as they are defined. See autograd/kernels/embedding.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_EMBEDDING_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_EMBEDDING_H_

#include <algorithm>
#include <cstdint>

#include "autograd/dtype.h"

namespace lemma::kernels::reference {

template <typename T>
void GatherRows(int64_t count, int64_t columns, const T* table, const int64_t* index, T* out) {
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(table + index[i] * columns, columns, out + i * columns);
  }
}

template <typename T>
void ScatterAddRows(int64_t count, int64_t columns, const T* src, const int64_t* index,
                    int64_t /*rows*/, T* table) {
  using A = Accumulator<T>;
  for (int64_t i = 0; i < count; ++i) {
    T* row = table + index[i] * columns;
    for (int64_t c = 0; c < columns; ++c) {
      row[c] = static_cast<T>(static_cast<A>(row[c]) + static_cast<A>(src[i * columns + c]));
    }
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_EMBEDDING_H_
