// Exercise: the shapes inside multi-head attention. You write expected_shapes.cc; this file stays.
#ifndef HOMEWORK_EXPECTED_SHAPES_H_
#define HOMEWORK_EXPECTED_SHAPES_H_

#include "tools/grading/homework.h"

namespace homework {

// Each a list of sizes, such as {B, T}.
struct Shapes {
  std::vector<int64_t> projected_q;         // W_q(x)
  std::vector<int64_t> q_split_into_heads;  // its view with a dimension for the heads
  std::vector<int64_t> q_per_head;          // with heads before time
  std::vector<int64_t> scores;
  std::vector<int64_t> weights;
  std::vector<int64_t> context_per_head;  // weights times values
  std::vector<int64_t> context_merged;    // the layer's output
};

// For B sequences of T tokens and H heads of width D; the layer's width is H D.
Shapes ExpectedShapes(int64_t B, int64_t T, int64_t H, int64_t D);

}  // namespace homework

#endif  // HOMEWORK_EXPECTED_SHAPES_H_
