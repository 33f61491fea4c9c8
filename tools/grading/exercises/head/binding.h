// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_HEAD_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_HEAD_BINDING_H_

#include "tools/grading/exercises/head/head.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallHead(const Function& function, const Values& in) {
  const int64_t width = in["Wk"].size(1), head_width = in["Wk"].size(0);
  const nn::LinearOptions options = {.in = width, .out = head_width, .bias = false};
  homework::Head head = {.key = nn::Linear(options),
                         .query = nn::Linear(options),
                         .value = nn::Linear(options),
                         .causal = in.Int("causal") != 0,
                         .A = {}};
  head.key.weight = in["Wk"];
  head.query.weight = in["Wq"];
  head.value.weight = in["Wv"];
  Values outputs = Values().Add("out", function(head, in["x"]));
  if (head.A.defined()) outputs.Add("weights", head.A);
  return outputs;
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_HEAD_BINDING_H_
