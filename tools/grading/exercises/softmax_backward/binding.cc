#include "tools/grading/exercises/softmax_backward/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kSoftmaxBackward("softmax_backward/homework", [](const Values& in) {
  return CallSoftmaxBackward(homework::SoftmaxBackward, in);
});

}  // namespace lemma::tools::grading
