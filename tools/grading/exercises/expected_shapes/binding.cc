#include "tools/grading/exercises/expected_shapes/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kExpectedShapes("expected_shapes/homework", [](const Values& in) {
  return CallExpectedShapes(homework::ExpectedShapes, in);
});

}  // namespace lemma::tools::grading
