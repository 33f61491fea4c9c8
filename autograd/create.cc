#include "autograd/create.h"

#include <algorithm>
#include <cmath>

namespace lemma {

Tensor Full(const Shape& shape, double value, DType dtype) {
  Tensor x = Tensor::Empty(shape, dtype);
  VisitDType(dtype, [&]<typename T>() {
    std::fill_n(x.mutable_data<T>(), x.numel(), static_cast<T>(value));
  });
  return x;
}

Tensor Zeros(const Shape& shape, DType dtype) { return Full(shape, 0, dtype); }
Tensor Ones(const Shape& shape, DType dtype) { return Full(shape, 1, dtype); }
Tensor ZerosLike(const Tensor& x) { return Zeros(x.shape(), x.dtype()); }
Tensor OnesLike(const Tensor& x) { return Ones(x.shape(), x.dtype()); }
Tensor Scalar(double value, DType dtype) { return Full({}, value, dtype); }

Tensor Eye(int64_t n, DType dtype) {
  Tensor x = Zeros({n, n}, dtype);
  VisitDType(dtype, [&]<typename T>() {
    T* values = x.mutable_data<T>();
    for (int64_t i = 0; i < n; ++i) values[i * n + i] = static_cast<T>(1.0);
  });
  return x;
}

Tensor Arange(double start, double end, double step, DType dtype) {
  if (step == 0) Fail("arange", "step: it can't be 0");
  const int64_t n = std::max<int64_t>(0, static_cast<int64_t>(std::ceil((end - start) / step)));
  Tensor x = Tensor::Empty({n}, dtype);
  VisitDType(dtype, [&]<typename T>() {
    T* values = x.mutable_data<T>();
    for (int64_t i = 0; i < n; ++i) {
      values[i] = static_cast<T>(start + static_cast<double>(i) * step);
    }
  });
  return x;
}

template <typename T>
Tensor FromValues(absl::Span<const T> values, const Shape& shape) {
  if (static_cast<int64_t>(values.size()) != shape.numel()) {
    Fail("from_values", "values: there are ", values.size(), ", the shape ", shape.ToString(),
         " needs ", shape.numel());
  }
  Tensor x = Tensor::Empty(shape, DTypeOf<T>());
  std::copy(values.begin(), values.end(), x.mutable_data<T>());
  return x;
}

template Tensor FromValues(absl::Span<const float>, const Shape&);
template Tensor FromValues(absl::Span<const double>, const Shape&);
template Tensor FromValues(absl::Span<const BFloat16>, const Shape&);
template Tensor FromValues(absl::Span<const int32_t>, const Shape&);
template Tensor FromValues(absl::Span<const int64_t>, const Shape&);
template Tensor FromValues(absl::Span<const bool>, const Shape&);

namespace {

// Fills a new float32 or float64 tensor by fn(span of its elements).
template <typename Fn>
Tensor Drawn(const char* op, const Shape& shape, DType dtype, Fn fn) {
  Tensor x = Tensor::Empty(shape, dtype);
  const size_t n = static_cast<size_t>(x.numel());
  if (dtype == DType::kFloat32) {
    fn(absl::MakeSpan(x.mutable_data<float>(), n));
  } else if (dtype == DType::kFloat64) {
    fn(absl::MakeSpan(x.mutable_data<double>(), n));
  } else {
    Fail(op, "dtype: draws are float32 or float64, not ", Name(dtype), "; Cast the result");
  }
  return x;
}

}  // namespace

Tensor Rand(const Shape& shape, Generator& generator, DType dtype) {
  return Drawn("rand", shape, dtype, [&](auto values) { generator.Uniform(values); });
}

Tensor RandN(const Shape& shape, Generator& generator, DType dtype) {
  return Drawn("randn", shape, dtype, [&](auto values) { generator.Normal(values); });
}

Tensor RandInt(int64_t low, int64_t high, const Shape& shape, Generator& generator) {
  Tensor x = Tensor::Empty(shape, DType::kInt64);
  generator.RandInt(absl::MakeSpan(x.mutable_data<int64_t>(), x.numel()), low, high);
  return x;
}

Tensor RandPerm(int64_t n, Generator& generator) {
  Tensor x = Tensor::Empty({n}, DType::kInt64);
  generator.RandPerm(absl::MakeSpan(x.mutable_data<int64_t>(), x.numel()));
  return x;
}

}  // namespace lemma
