// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_LAYER_NORM_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_LAYER_NORM_BINDING_H_

#include "tools/grading/exercises/layer_norm/layer_norm.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallLayerNorm(const Function& function, const Values& in) {
  return Values().Add("y", function(in["x"], in["weight"], in["bias"], in.Number("eps")));
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_LAYER_NORM_BINDING_H_
