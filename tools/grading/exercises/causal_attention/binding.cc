#include "tools/grading/exercises/causal_attention/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kCausalAttention("causal_attention/homework", [](const Values& in) {
  return CallCausalAttention(homework::CausalAttention, in);
});

}  // namespace lemma::tools::grading
