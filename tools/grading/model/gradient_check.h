// The check of a model's gradient against differences of its loss.
#ifndef LEMMA_TOOLS_GRADING_MODEL_GRADIENT_CHECK_H_
#define LEMMA_TOOLS_GRADING_MODEL_GRADIENT_CHECK_H_

#include "tools/grading/model/model_check.h"

namespace lemma::tools::grading {

// In float64, for each parameter tensor W with gradient G and a random normal direction D:
// |<G, D> - (loss(W + h D) - loss(W - h D)) / 2h| is at most 1e-5 |G|, since <G, D> has standard
// deviation |G|; a wrong G is found unless D happens to be orthogonal to what is wrong with it. Of
// models with many tensors 64 are looked at, evenly spread.
Finding CheckGradient(const ModelExamination& examination);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_GRADIENT_CHECK_H_
