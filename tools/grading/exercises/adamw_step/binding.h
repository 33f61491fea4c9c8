// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_ADAMW_STEP_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_ADAMW_STEP_BINDING_H_

#include "tools/grading/exercises/adamw_step/adamw_step.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallAdamWStep(const Function& function, const Values& in) {
  const homework::AdamWOptions options = {.lr = in.Number("lr"),
                                          .beta1 = in.Number("beta1"),
                                          .beta2 = in.Number("beta2"),
                                          .eps = in.Number("eps"),
                                          .weight_decay = in.Number("weight_decay")};
  const homework::AdamWState state =
      function(homework::AdamWState{in["p"], in["m"], in["v"]}, in["g"], in.Int("step"), options);
  return Values().Add("p", state.p).Add("m", state.m).Add("v", state.v);
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_ADAMW_STEP_BINDING_H_
