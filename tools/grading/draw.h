// Inputs of probes: seeded draws.
#ifndef LEMMA_TOOLS_GRADING_DRAW_H_
#define LEMMA_TOOLS_GRADING_DRAW_H_

#include <cstdint>
#include <string>

#include "autograd/random.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

// float32 throughout.
class Draw {
 public:
  explicit Draw(uint64_t seed) : generator_(seed) {}

  Tensor Normal(const Shape& shape, double std = 1);
  // Whole numbers from low to high, both included.
  Tensor Whole(const Shape& shape, int64_t low, int64_t high);
  // The same as int64, below `end`.
  Tensor Tokens(const Shape& shape, int64_t end);
  Generator& generator() { return generator_; }

 private:
  Generator generator_;
};

// The probe with x (B, T, C) drawn anew at one position.
Probe WithNewPosition(const Probe& probe, const std::string& name, int64_t position, uint64_t seed);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_DRAW_H_
