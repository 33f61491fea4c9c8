// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_SOFTMAX_BACKWARD_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_SOFTMAX_BACKWARD_BINDING_H_

#include "tools/grading/exercises/softmax_backward/softmax_backward.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallSoftmaxBackward(const Function& function, const Values& in) {
  return Values().Add("dx", function(in["p"], in["dp"]));
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_SOFTMAX_BACKWARD_BINDING_H_
