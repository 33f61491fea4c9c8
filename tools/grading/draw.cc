#include "tools/grading/draw.h"

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/slice.h"

namespace lemma::tools::grading {

Tensor Draw::Normal(const Shape& shape, double std) { return RandN(shape, generator_) * std; }

Tensor Draw::Whole(const Shape& shape, int64_t low, int64_t high) {
  return Cast(RandInt(low, high + 1, shape, generator_), DType::kFloat32);
}

Tensor Draw::Tokens(const Shape& shape, int64_t end) { return RandInt(0, end, shape, generator_); }

Probe WithNewPosition(const Probe& probe, const std::string& name, int64_t position,
                      uint64_t seed) {
  Draw draw(seed);
  Probe changed = probe;
  changed.name = name;
  changed.inputs = DeepCopy(probe.inputs);
  Tensor at = Slice(changed.inputs["x"], 1, position, position + 1);
  CopyFrom(at, draw.Normal(at.shape(), 3));
  return changed;
}

}  // namespace lemma::tools::grading
