// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_GENERATE_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_GENERATE_BINDING_H_

#include "tools/grading/exercises/generate/generate.h"
#include "tools/grading/exercises/generate/toy_model.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallGenerate(const Function& function, const Values& in) {
  Generator generator(static_cast<uint64_t>(in.Int("seed")));
  const int64_t context = in.Int("context");
  const ToyModel model(in["table"], context);
  const std::vector<int64_t> tokens = function(
      [&](const Tensor& tokens) { return model.Logits(tokens); }, in["prompt"].ToVector<int64_t>(),
      in.Int("count"), context, in.Number("temperature"), generator);
  return Values().Add("tokens", FromVector(tokens, {static_cast<int64_t>(tokens.size())}));
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_GENERATE_BINDING_H_
