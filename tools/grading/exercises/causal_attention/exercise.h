#ifndef LEMMA_TOOLS_GRADING_EXERCISES_CAUSAL_ATTENTION_EXERCISE_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_CAUSAL_ATTENTION_EXERCISE_H_

#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

Exercise CausalAttentionExercise();

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_CAUSAL_ATTENTION_EXERCISE_H_
