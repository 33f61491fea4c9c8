#include "tests/every_op/sample.h"

#include <algorithm>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/views.h"

namespace lemma::every_op {

std::vector<Sample> SamplesOf(const std::string& op) {
  static const auto* families = new std::vector<std::vector<Sample>>{
      PointwiseSamples(), ShapeSamples(), ReductionSamples(), ProductSamples()};
  std::vector<Sample> found;
  for (const auto& family : *families) {
    for (const Sample& sample : family) {
      if (sample.op == op) found.push_back(sample);
    }
  }
  return found;
}

bool HasLarge(const std::vector<Sample>& samples, const std::string& op) {
  return std::any_of(samples.begin(), samples.end(),
                     [&](const Sample& sample) { return sample.op == op && sample.large; });
}

Tensor Draws::Normal(const Shape& shape) { return RandN(shape, generator_, DType::kFloat64); }

Tensor Draws::Uniform(const Shape& shape, double low, double high) {
  return Rand(shape, generator_, DType::kFloat64) * (high - low) + low;
}

Tensor Draws::AwayFromZero(const Shape& shape) {
  const Tensor size = Uniform(shape, 0.1, 2.1);
  return Where(Bools(shape), size, -size);
}

Tensor Draws::Distinct(const Shape& shape, double step) {
  const int64_t n = shape.numel();
  const Tensor order = Cast(RandPerm(n, generator_), DType::kFloat64);
  return Reshape((order - static_cast<double>(n) / 2) * step, shape);
}

Tensor Draws::Integers(const Shape& shape, int64_t low, int64_t high) {
  return RandInt(low, high, shape, generator_);
}

Tensor Draws::Bools(const Shape& shape) { return Equal(Integers(shape, 0, 2), 1); }

Tensor StoredTransposed(const Tensor& x) {
  return Transpose(Contiguous(Transpose(x, -1, -2)), -1, -2);
}

Tensor StoredApart(const Tensor& x) {
  Shape wide = x.shape();
  wide[x.rank() - 1] *= 2;
  Tensor apart = Slice(Zeros(wide, x.dtype()), -1, 0, kToEnd, 2);
  CopyFrom(apart, x);
  return apart;
}

Tensor CastKeepingStrides(const Tensor& x, DType dtype) {
  // An expanded dimension is one element in memory.
  Tensor once = x;
  for (int i = 0; i < x.rank(); ++i) {
    if (x.strides()[i] == 0 && x.shape()[i] > 1) once = Slice(once, i, 0, 1);
  }
  int64_t last = 0;
  for (int i = 0; i < once.rank(); ++i) {
    if (once.shape()[i] > 1) last += (once.shape()[i] - 1) * once.strides()[i];
  }
  const Tensor memory = Zeros({last + 1}, dtype);
  Tensor copy = Tensor::View(memory.storage(), dtype, once.shape(), once.strides(), 0);
  if (x.numel() > 0) CopyFrom(copy, once);
  return Expand(copy, x.shape());
}

Tensor CopyKeepingStrides(const Tensor& x) {
  return x.defined() ? CastKeepingStrides(x, x.dtype()) : x;
}

List InputsAs(const Sample& sample, DType dtype) {
  List inputs;
  for (const Tensor& x : sample.inputs) {
    const bool convert = x.defined() && x.dtype() == DType::kFloat64;
    inputs.push_back(convert ? CastKeepingStrides(x, dtype) : x);
  }
  return inputs;
}

}  // namespace lemma::every_op
