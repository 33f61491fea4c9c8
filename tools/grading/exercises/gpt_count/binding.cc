#include "tools/grading/exercises/gpt_count/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kGptCount("gpt_count/homework", [](const Values& in) {
  return CallGptCount(homework::CountParameters, in);
});

}  // namespace lemma::tools::grading
