// The commands of grade that judge one: check, export.
#ifndef LEMMA_TOOLS_GRADE_CHECK_H_
#define LEMMA_TOOLS_GRADE_CHECK_H_

#include <string>
#include <vector>

#include "tools/flags.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

std::vector<FlagGroup> CheckFlagGroups();

// Judges the learner's code, or what the flags name instead. Returns the exit status.
int CheckExercise(const Exercise& exercise);

// Writes the inputs of the exercise for other languages.
int ExportExercise(const Exercise& exercise);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADE_CHECK_H_
