#include "nn/init.h"

#include <algorithm>
#include <cmath>

#include "absl/types/span.h"
#include "autograd/error.h"

namespace lemma::nn::init {
namespace {

// Calls fn with the span of the parameter's elements.
template <typename Fn>
void FillSpan(const char* name, Tensor& parameter, Fn fn) {
  if (!parameter.IsContiguous()) {
    Fail(name, "parameter: it must be contiguous to be filled in the order of the draws");
  }
  const size_t n = static_cast<size_t>(parameter.numel());
  if (parameter.dtype() == DType::kFloat64) {
    fn(absl::MakeSpan(parameter.mutable_data<double>(), n));
  } else {
    fn(absl::MakeSpan(parameter.mutable_data<float>(), n));
  }
}

struct Fans {
  double in;
  double out;
};

Fans FansOf(const char* name, const Tensor& parameter) {
  if (parameter.rank() < 2) {
    Fail(name, "parameter: fans need at least 2 dimensions; the shape is ",
         parameter.shape().ToString());
  }
  const double receptive = static_cast<double>(parameter.numel()) /
                           static_cast<double>(parameter.size(0) * parameter.size(1));
  return {parameter.size(1) * receptive, parameter.size(0) * receptive};
}

double KaimingStd(const char* name, const Tensor& parameter, double slope) {
  return std::sqrt(2 / (1 + slope * slope)) / std::sqrt(FansOf(name, parameter).in);
}

double XavierStd(const char* name, const Tensor& parameter, double gain) {
  const Fans fans = FansOf(name, parameter);
  return gain * std::sqrt(2 / (fans.in + fans.out));
}

}  // namespace

void Constant(Tensor& parameter, double value) {
  FillSpan("constant", parameter, [&]<typename T>(absl::Span<T> values) {
    std::fill(values.begin(), values.end(), static_cast<T>(value));
  });
}

void Zeros(Tensor& parameter) { Constant(parameter, 0); }
void Ones(Tensor& parameter) { Constant(parameter, 1); }

void Normal(Tensor& parameter, Generator& generator, double mean, double std) {
  FillSpan("normal", parameter, [&](auto values) { generator.Normal(values, mean, std); });
}

void Uniform(Tensor& parameter, Generator& generator, double low, double high) {
  FillSpan("uniform", parameter, [&](auto values) { generator.Uniform(values, low, high); });
}

void LinearUniform(Tensor& parameter, int64_t fan_in, Generator& generator) {
  // PyTorch's own order of operations, on which the last bit of the bound depends.
  const double fan = static_cast<double>(fan_in);
  const bool is_weight = parameter.rank() > 1;
  const double bound = is_weight ? std::sqrt(3.0) * (std::sqrt(2.0 / (1 + 5.0)) / std::sqrt(fan))
                                 : 1 / std::sqrt(fan);
  Uniform(parameter, generator, -bound, bound);
}

void KaimingNormal(Tensor& parameter, Generator& generator, double slope) {
  Normal(parameter, generator, 0, KaimingStd("kaiming_normal", parameter, slope));
}

void KaimingUniform(Tensor& parameter, Generator& generator, double slope) {
  const double bound = std::sqrt(3.0) * KaimingStd("kaiming_uniform", parameter, slope);
  Uniform(parameter, generator, -bound, bound);
}

void XavierNormal(Tensor& parameter, Generator& generator, double gain) {
  Normal(parameter, generator, 0, XavierStd("xavier_normal", parameter, gain));
}

void XavierUniform(Tensor& parameter, Generator& generator, double gain) {
  const double bound = std::sqrt(3.0) * XavierStd("xavier_uniform", parameter, gain);
  Uniform(parameter, generator, -bound, bound);
}

}  // namespace lemma::nn::init
