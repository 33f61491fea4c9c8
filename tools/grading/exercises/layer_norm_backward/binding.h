// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_LAYER_NORM_BACKWARD_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_LAYER_NORM_BACKWARD_BINDING_H_

#include "tools/grading/exercises/layer_norm_backward/layer_norm_backward.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallLayerNormBackward(const Function& function, const Values& in) {
  const homework::NormGradients gradients =
      function(in["x"], in["weight"], in["dy"], in.Number("eps"));
  return Values()
      .Add("dx", gradients.dx)
      .Add("dweight", gradients.dweight)
      .Add("dbias", gradients.dbias);
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_LAYER_NORM_BACKWARD_BINDING_H_
