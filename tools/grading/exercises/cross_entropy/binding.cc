#include "tools/grading/exercises/cross_entropy/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kCrossEntropy("cross_entropy/homework", [](const Values& in) {
  return CallCrossEntropy(homework::MeanCrossEntropy, in);
});

}  // namespace lemma::tools::grading
