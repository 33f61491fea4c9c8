#include "tools/grading/exercises/multi_head_attention/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kMultiHeadAttention("multi_head_attention/homework", [](const Values& in) {
  return CallMultiHeadAttention(homework::MultiHeadForward, in);
});

}  // namespace lemma::tools::grading
