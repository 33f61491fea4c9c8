#include "tools/grading/exercises/matmul_backward/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kMatMulBackward("matmul_backward/homework", [](const Values& in) {
  return CallMatMulBackward(homework::MatMulBackward, in);
});

}  // namespace lemma::tools::grading
