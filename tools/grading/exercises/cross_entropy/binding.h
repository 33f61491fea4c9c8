// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_CROSS_ENTROPY_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_CROSS_ENTROPY_BINDING_H_

#include "tools/grading/exercises/cross_entropy/cross_entropy.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallCrossEntropy(const Function& function, const Values& in) {
  return Values().Add("loss", function(in["logits"], in["targets"]));
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_CROSS_ENTROPY_BINDING_H_
