// The table of all exercises.
#ifndef LEMMA_TOOLS_GRADING_REGISTRY_H_
#define LEMMA_TOOLS_GRADING_REGISTRY_H_

#include <string>
#include <vector>

#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

// In the order in which they are best done.
const std::vector<Exercise>& AllExercises();

// Null where there is none of this name.
const Exercise* FindExercise(const std::string& name);

// The files that a learner starts from, by name: NAME.h and NAME.cc.
struct StarterFiles {
  std::string header;
  std::string source;
};
StarterFiles StarterOf(const std::string& exercise);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_REGISTRY_H_
