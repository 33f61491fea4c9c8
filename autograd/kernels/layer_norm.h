// Layer normalisation over the last axis, forward and backward.
//
//   std::vector<float> mean(n), rstd(n);
//   LayerNormForward<float>(n, c, x, weight, bias, 1e-5, y, mean.data(), rstd.data());
//   LayerNormBackward<float>(n, c, dy, x, weight, mean.data(), rstd.data(), dx,
//                            /*accumulate_dx=*/false, dweight, dbias);
//
// The meaning is reference/layer_norm.h; float runs in simd/layer_norm.h. Results have the same
// bits for any number of threads. Ba, Kiros, Hinton: Layer Normalization, arXiv:1607.06450.
#ifndef LEMMA_AUTOGRAD_KERNELS_LAYER_NORM_H_
#define LEMMA_AUTOGRAD_KERNELS_LAYER_NORM_H_

#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/reference/layer_norm.h"
#include "autograd/kernels/simd/layer_norm.h"

namespace lemma::kernels {

// y = (x - mean) * rstd * weight + bias for each of `rows` rows of `columns` elements, where
// rstd = 1 / sqrt(variance + eps) and the variance is the biased one. x, y: (rows, columns), dense;
// y may be x. weight, bias: (columns), or null for 1 and 0. mean, rstd: (rows), written; or both
// null.
template <typename T>
void LayerNormForward(int64_t rows, int64_t columns, const T* x, const T* weight, const T* bias,
                      double eps, T* y, Accumulator<T>* mean, Accumulator<T>* rstd) {
  if constexpr (std::is_same_v<T, float>) {
    simd::LayerNormForward(rows, columns, x, weight, bias, eps, y, mean, rstd);
  } else {
    reference::LayerNormForward<T>(rows, columns, x, weight, bias, eps, y, mean, rstd);
  }
}

// The gradients for dy, from what the forward was given and saved. dx: (rows, columns), stored, or
// added to with `accumulate_dx`; dx may be dy. dweight, dbias: (columns), always added to. Each of
// the three may be null: then it is not computed.
template <typename T>
void LayerNormBackward(int64_t rows, int64_t columns, const T* dy, const T* x, const T* weight,
                       const Accumulator<T>* mean, const Accumulator<T>* rstd, T* dx,
                       bool accumulate_dx, T* dweight, T* dbias) {
  if constexpr (std::is_same_v<T, float>) {
    simd::LayerNormBackward(rows, columns, dy, x, weight, mean, rstd, dx, accumulate_dx, dweight,
                            dbias);
  } else {
    reference::LayerNormBackward<T>(rows, columns, dy, x, weight, mean, rstd, dx, accumulate_dx,
                                    dweight, dbias);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_LAYER_NORM_H_
