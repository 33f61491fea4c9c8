#include "tools/grading/exercises/gpt_block/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kGptBlock("gpt_block/homework", [](const Values& in) {
  return CallGptBlock(homework::BlockForward, in);
});

}  // namespace lemma::tools::grading
