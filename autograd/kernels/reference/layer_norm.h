// Layer normalisation as it is defined. See autograd/kernels/layer_norm.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_LAYER_NORM_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_LAYER_NORM_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/dtype.h"

namespace lemma::kernels::reference {

template <typename T>
void LayerNormForward(int64_t rows, int64_t columns, const T* x, const T* weight, const T* bias,
                      double eps, T* y, Accumulator<T>* mean, Accumulator<T>* rstd) {
  using A = Accumulator<T>;
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns) {
    A sum = 0;
    for (int64_t c = 0; c < columns; ++c) sum += static_cast<A>(x[c]);
    const A row_mean = sum / static_cast<A>(columns);
    A squares = 0;
    for (int64_t c = 0; c < columns; ++c) {
      const A centered = static_cast<A>(x[c]) - row_mean;
      squares += centered * centered;
    }
    const A row_rstd = A{1} / std::sqrt(squares / static_cast<A>(columns) + static_cast<A>(eps));
    if (mean != nullptr) mean[r] = row_mean;
    if (rstd != nullptr) rstd[r] = row_rstd;
    for (int64_t c = 0; c < columns; ++c) {
      A value = (static_cast<A>(x[c]) - row_mean) * row_rstd;
      if (weight != nullptr) value *= static_cast<A>(weight[c]);
      if (bias != nullptr) value += static_cast<A>(bias[c]);
      y[c] = static_cast<T>(value);
    }
  }
}

// With h = (x - mean) * rstd and g = dy * weight:
//   dx = rstd * (g - mean(g) - h * mean(g * h)), dweight = sum dy * h, dbias = sum dy.
template <typename T>
void LayerNormBackward(int64_t rows, int64_t columns, const T* dy, const T* x, const T* weight,
                       const Accumulator<T>* mean, const Accumulator<T>* rstd, T* dx,
                       bool accumulate_dx, T* dweight, T* dbias) {
  using A = Accumulator<T>;
  std::vector<A> dweight_sum(columns), dbias_sum(columns);
  for (int64_t r = 0; r < rows; ++r) {
    const T* dy_row = dy + r * columns;
    const T* x_row = x + r * columns;
    A sum_g = 0, sum_gh = 0;
    for (int64_t c = 0; c < columns; ++c) {
      const A h = (static_cast<A>(x_row[c]) - mean[r]) * rstd[r];
      const A g = static_cast<A>(dy_row[c]) * (weight ? static_cast<A>(weight[c]) : A{1});
      sum_g += g;
      sum_gh += g * h;
      dweight_sum[c] += static_cast<A>(dy_row[c]) * h;
      dbias_sum[c] += static_cast<A>(dy_row[c]);
    }
    if (dx == nullptr) continue;
    const A mean_g = sum_g / static_cast<A>(columns);
    const A mean_gh = sum_gh / static_cast<A>(columns);
    for (int64_t c = 0; c < columns; ++c) {
      const A h = (static_cast<A>(x_row[c]) - mean[r]) * rstd[r];
      const A g = static_cast<A>(dy_row[c]) * (weight ? static_cast<A>(weight[c]) : A{1});
      const A value = rstd[r] * (g - mean_g - h * mean_gh);
      T& out = dx[r * columns + c];
      out = static_cast<T>(accumulate_dx ? static_cast<A>(out) + value : value);
    }
  }
  for (int64_t c = 0; c < columns; ++c) {
    if (dweight) dweight[c] = static_cast<T>(static_cast<A>(dweight[c]) + dweight_sum[c]);
    if (dbias) dbias[c] = static_cast<T>(static_cast<A>(dbias[c]) + dbias_sum[c]);
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_LAYER_NORM_H_
