#include "tools/grading/registry.h"

#include <map>

#include "tools/grading/exercises/exercises.h"

namespace lemma::tools::grading {
namespace {

// Each row: name, header, source, from the exercises' own files.
const char* const kStarters[][3] = {
#include "tools/grading/starters.inc"
};

}  // namespace

const std::vector<Exercise>& AllExercises() {
  static const auto* all = new std::vector<Exercise>{
      CausalAttentionExercise(), MultiHeadAttentionExercise(), HeadExercise(),
      ExpectedShapesExercise(),  LeakTestExercise(),           LayerNormExercise(),
      GptBlockExercise(),        GptCountExercise(),           CrossEntropyExercise(),
      GenerateExercise(),        AdamWStepExercise(),          MatMulBackwardExercise(),
      SoftmaxBackwardExercise(), LayerNormBackwardExercise(),
  };
  return *all;
}

const Exercise* FindExercise(const std::string& name) {
  for (const Exercise& exercise : AllExercises()) {
    if (exercise.name == name) return &exercise;
  }
  return nullptr;
}

StarterFiles StarterOf(const std::string& exercise) {
  for (const auto& [name, header, source] : kStarters) {
    if (exercise == name) return {header, source};
  }
  return {};
}

}  // namespace lemma::tools::grading
