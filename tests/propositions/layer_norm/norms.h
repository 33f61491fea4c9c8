// The layer under test, the layers that it is confused with, and rows to normalise.
#ifndef LEMMA_TESTS_PROPOSITIONS_LAYER_NORM_NORMS_H_
#define LEMMA_TESTS_PROPOSITIONS_LAYER_NORM_NORMS_H_

#include <cstdint>
#include <functional>

#include "autograd/dtype.h"
#include "autograd/random.h"
#include "autograd/tensor.h"

namespace lemma::propositions {

inline constexpr double kEps = 1e-5;

using Norm = std::function<Tensor(const Tensor& u)>;  // (N, d) -> (N, d)

// nn::LayerNorm without weight and bias, as it is built.
Tensor Standardised(const Tensor& u);

// (u - mean) / sqrt(var + eps), var = sum (u - mean)^2 / (d - correction), written out.
Norm WrittenOut(double eps, double correction = 0);
// u / sqrt(mean(u^2) + eps): nothing is centred.
Tensor RmsNorm(const Tensor& u);
// u - mean: nothing is scaled.
Tensor Centred(const Tensor& u);
// (u - mean) / (sqrt(var) + eps).
Tensor EpsOutsideTheRoot(const Tensor& u);

// Rows of magnitudes between 2.5 and 7.5, so that every variance is far above eps: the course's.
Tensor HealthyRows(int64_t rows, int64_t width, Generator& generator,
                   DType dtype = DType::kFloat32);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_LAYER_NORM_NORMS_H_
