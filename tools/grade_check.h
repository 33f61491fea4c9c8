// The commands of grade that judge: check, export, class.
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

// Judges every program and every file of outputs in a folder, and tells what went wrong how often.
int GradeClass(const Exercise& exercise, const std::string& folder);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADE_CHECK_H_
