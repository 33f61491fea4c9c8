#include "tools/grading/exercises/adamw_step/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kAdamWStep("adamw_step/homework", [](const Values& in) {
  return CallAdamWStep(homework::AdamWStep, in);
});

}  // namespace lemma::tools::grading
