// The layers that a learner's leak test is tried on: tensors, so that any language can run them.
//
// Layer i maps x (B, T, C) to y with y[b] = mix[i, b] x[b] + squares[i, b] s[b], where s[b] (T, C)
// holds at each position, C times, the sum of its squared elements. mix and squares are (layers, B,
// T, T).
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_LEAK_TEST_SUSPECTS_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_LEAK_TEST_SUSPECTS_H_

#include <functional>
#include <string>
#include <vector>

#include "autograd/tensor.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

struct Suspect {
  std::string name;
  bool leaks;
};

// Causal ones first.
const std::vector<Suspect>& Suspects();

// Adds "mix" and "squares" for inputs x. Two of the layers are attention with the weights that x
// has.
void AddSuspects(const Tensor& x, Values& inputs);

using SuspectLayer = std::function<Tensor(const Tensor& x)>;

// In the order of Suspects().
std::vector<SuspectLayer> SuspectLayers(const Values& inputs);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_LEAK_TEST_SUSPECTS_H_
