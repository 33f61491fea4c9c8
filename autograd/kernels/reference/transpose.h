// Transposing copies as they are defined. See autograd/kernels/transpose.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_TRANSPOSE_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_TRANSPOSE_H_

#include <algorithm>
#include <cstdint>

namespace lemma::kernels::reference {

template <typename T>
void Transpose(int64_t rows, int64_t columns, const T* x, int64_t x_stride, T* y,
               int64_t y_stride) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) y[c * y_stride + r] = x[r * x_stride + c];
  }
}

template <typename T>
void SwapMiddleAxes(int64_t outer, int64_t first, int64_t second, int64_t inner, const T* x, T* y) {
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < first; ++i) {
      for (int64_t j = 0; j < second; ++j) {
        std::copy_n(x + ((o * first + i) * second + j) * inner, inner,
                    y + ((o * second + j) * first + i) * inner);
      }
    }
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_TRANSPOSE_H_
