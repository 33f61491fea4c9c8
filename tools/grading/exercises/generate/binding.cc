#include "tools/grading/exercises/generate/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kGenerate("generate/homework",
                             [](const Values& in) { return CallGenerate(homework::Generate, in); });

}  // namespace lemma::tools::grading
