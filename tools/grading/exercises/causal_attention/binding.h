// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_CAUSAL_ATTENTION_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_CAUSAL_ATTENTION_BINDING_H_

#include "tools/grading/exercises/causal_attention/causal_attention.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallCausalAttention(const Function& function, const Values& in) {
  const homework::Attention result = function(in["x"], in["Wq"], in["Wk"], in["Wv"]);
  return Values().Add("out", result.out).Add("weights", result.weights);
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_CAUSAL_ATTENTION_BINDING_H_
