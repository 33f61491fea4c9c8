// The exercises: each function is defined in the exercise.cc of a folder here.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_EXERCISES_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_EXERCISES_H_

#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

Exercise CausalAttentionExercise();
Exercise MultiHeadAttentionExercise();
Exercise HeadExercise();
Exercise ExpectedShapesExercise();
Exercise LeakTestExercise();
Exercise LayerNormExercise();
Exercise GptBlockExercise();
Exercise GptCountExercise();
Exercise CrossEntropyExercise();
Exercise GenerateExercise();
Exercise AdamWStepExercise();
Exercise MatMulBackwardExercise();
Exercise SoftmaxBackwardExercise();
Exercise LayerNormBackwardExercise();

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_EXERCISES_H_
