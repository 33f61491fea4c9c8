// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_LEAK_TEST_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_LEAK_TEST_BINDING_H_

#include <cmath>
#include <vector>

#include "tools/grading/exercises/leak_test/leak_test.h"
#include "tools/grading/exercises/leak_test/suspects.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallLeakTest(const Function& function, const Values& in) {
  std::vector<double> leaks;
  for (const SuspectLayer& layer : SuspectLayers(in)) {
    Generator generator(static_cast<uint64_t>(in.Int("seed")));
    leaks.push_back(function(layer, in["x"], generator));
  }
  const int64_t count = static_cast<int64_t>(leaks.size());
  std::vector<int64_t> caught;
  for (const double leak : leaks) caught.push_back(std::abs(leak) > 1e-6);
  return Values().Add("caught", FromVector(caught, {count}));
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_LEAK_TEST_BINDING_H_
