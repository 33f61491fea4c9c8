// A model without training, for generation: its logits depend on every token that it sees and on
// their places, and it refuses more tokens than its context.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_GENERATE_TOY_MODEL_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_GENERATE_TOY_MODEL_H_

#include <cstdint>
#include <utility>

#include "autograd/tensor.h"

namespace lemma::tools::grading {

class ToyModel {
 public:
  // table (V, V).
  ToyModel(Tensor table, int64_t context) : table_(std::move(table)), context_(context) {}

  // tokens int64 (1, T) -> (1, T, V).
  Tensor Logits(const Tensor& tokens) const;

 private:
  const Tensor table_;
  const int64_t context_;
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_GENERATE_TOY_MODEL_H_
