// `grade class`: a folder of what students handed in.
#ifndef LEMMA_TOOLS_GRADE_CLASS_H_
#define LEMMA_TOOLS_GRADE_CLASS_H_

#include <string>

#include "tools/flags.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

FlagGroup ClassFlagGroup();

// Builds the sources in a folder (tools/grading/submissions.h), judges them, --jobs at a time, and
// tells what went wrong how often. Returns the exit status; after a Ctrl-C, with what is done, that
// of the signal.
int GradeClass(const Exercise& exercise, const std::string& folder);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADE_CLASS_H_
