// Layer normalisation. Ba, Kiros, Hinton: Layer Normalization, arXiv:1607.06450.
#ifndef LEMMA_AUTOGRAD_OPS_LAYER_NORM_H_
#define LEMMA_AUTOGRAD_OPS_LAYER_NORM_H_

#include <cstdint>

#include "absl/types/span.h"
#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// (x - mean) / sqrt(variance + eps) * weight + bias, with mean and biased variance over the last
// dimensions of x, those of `normalized_shape`. weight and bias have this shape; either may be
// undefined: 1 and 0. Geometrically: projection onto the vectors of mean 0, then, as long as the
// variance is far above eps, onto the sphere of radius sqrt(C).
Tensor LayerNorm(Tensor x, absl::Span<const int64_t> normalized_shape, Tensor weight = {},
                 Tensor bias = {}, double eps = 1e-5);

extern const OpDef kLayerNorm;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_LAYER_NORM_H_
