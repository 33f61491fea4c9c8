// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_GPT_COUNT_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_GPT_COUNT_BINDING_H_

#include "tools/grading/exercises/gpt_count/gpt_count.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallGptCount(const Function& function, const Values& in) {
  const homework::GptSizes sizes = {
      .V = in.Int("V"), .T = in.Int("T"), .C = in.Int("C"), .H = in.Int("H"), .L = in.Int("L")};
  return Values().Add("count", static_cast<int64_t>(function(sizes)));
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_GPT_COUNT_BINDING_H_
