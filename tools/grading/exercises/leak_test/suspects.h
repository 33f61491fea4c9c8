// The layers that a learner's leak test is tried on.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_LEAK_TEST_SUSPECTS_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_LEAK_TEST_SUSPECTS_H_

#include <functional>
#include <string>
#include <vector>

#include "autograd/tensor.h"

namespace lemma::tools::grading {

struct SuspectLayer {
  std::string name;
  bool leaks;
  std::function<Tensor(const Tensor& x)> forward;  // x (B, T, C) -> (B, T, C)
};

// Causal ones first.
std::vector<SuspectLayer> SuspectLayers();

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_LEAK_TEST_SUSPECTS_H_
