// The command of grade that judges a trained model: grade model --checkpoint=FILE.
#ifndef LEMMA_TOOLS_GRADE_MODEL_H_
#define LEMMA_TOOLS_GRADE_MODEL_H_

#include <vector>

#include "tools/flags.h"

namespace lemma::tools::grading {

std::vector<FlagGroup> ModelFlagGroups();

// Judges the file that the flags name. Returns the exit status.
int GradeModel();

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADE_MODEL_H_
