// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_MATMUL_BACKWARD_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_MATMUL_BACKWARD_BINDING_H_

#include "tools/grading/exercises/matmul_backward/matmul_backward.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallMatMulBackward(const Function& function, const Values& in) {
  const homework::ProductGradients gradients = function(in["a"], in["b"], in["dc"]);
  return Values().Add("da", gradients.da).Add("db", gradients.db);
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_MATMUL_BACKWARD_BINDING_H_
