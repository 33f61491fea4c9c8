// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_EXPECTED_SHAPES_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_EXPECTED_SHAPES_BINDING_H_

#include "tools/grading/exercises/expected_shapes/expected_shapes.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallExpectedShapes(const Function& function, const Values& in) {
  const homework::Shapes shapes = function(in.Int("B"), in.Int("T"), in.Int("H"), in.Int("D"));
  Values outputs;
  const auto add = [&](const char* name, const std::vector<int64_t>& shape) {
    outputs.Add(name, FromVector(shape, {static_cast<int64_t>(shape.size())}));
  };
  add("projected_q", shapes.projected_q);
  add("q_split_into_heads", shapes.q_split_into_heads);
  add("q_per_head", shapes.q_per_head);
  add("scores", shapes.scores);
  add("weights", shapes.weights);
  add("context_per_head", shapes.context_per_head);
  add("context_merged", shapes.context_merged);
  return outputs;
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_EXPECTED_SHAPES_BINDING_H_
