#include "tools/grading/exercises/head/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kHead("head/homework",
                         [](const Values& in) { return CallHead(homework::HeadForward, in); });

}  // namespace lemma::tools::grading
