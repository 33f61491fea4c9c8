// Rows of a table by index, and the gradient of that: rows added into a table.
//
//   GatherRows<float>(n, c, table, index, out);             // out[i] = table[index[i]]
//   ScatterAddRows<float>(n, c, dout, index, rows, dtable); // dtable[index[i]] += dout[i]
//
// Indices lie in the table: the caller has checked it. The meaning is reference/embedding.h; float
// runs in simd/embedding.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_EMBEDDING_H_
#define LEMMA_AUTOGRAD_KERNELS_EMBEDDING_H_

#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/reference/embedding.h"
#include "autograd/kernels/simd/embedding.h"

namespace lemma::kernels {

// table: (rows, columns); index: (count); out: (count, columns), written.
template <typename T>
void GatherRows(int64_t count, int64_t columns, const T* table, const int64_t* index, T* out) {
  if constexpr (std::is_same_v<T, float>) {
    simd::GatherRows(count, columns, table, index, out);
  } else {
    reference::GatherRows<T>(count, columns, table, index, out);
  }
}

// src: (count, columns); table: (rows, columns), added to. Rows with the same index are added one
// after the other in the order of `index`, whatever the number of threads.
template <typename T>
void ScatterAddRows(int64_t count, int64_t columns, const T* src, const int64_t* index,
                    int64_t rows, T* table) {
  if constexpr (std::is_same_v<T, float>) {
    simd::ScatterAddRows(count, columns, src, index, rows, table);
  } else {
    reference::ScatterAddRows<T>(count, columns, src, index, rows, table);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_EMBEDDING_H_
