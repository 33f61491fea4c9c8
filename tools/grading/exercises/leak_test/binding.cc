#include "tools/grading/exercises/leak_test/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kLeakTest("leak_test/homework",
                             [](const Values& in) { return CallLeakTest(homework::Leak, in); });

}  // namespace lemma::tools::grading
