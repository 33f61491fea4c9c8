// Tensors from values, constants and random draws.
#ifndef LEMMA_AUTOGRAD_CREATE_H_
#define LEMMA_AUTOGRAD_CREATE_H_

#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "autograd/random.h"
#include "autograd/tensor.h"

namespace lemma {

Tensor Full(const Shape& shape, double value, DType dtype = DType::kFloat32);
Tensor Zeros(const Shape& shape, DType dtype = DType::kFloat32);
Tensor Ones(const Shape& shape, DType dtype = DType::kFloat32);
Tensor ZerosLike(const Tensor& x);
Tensor OnesLike(const Tensor& x);
// A tensor of rank 0.
Tensor Scalar(double value, DType dtype = DType::kFloat32);
// The n x n identity.
Tensor Eye(int64_t n, DType dtype = DType::kFloat32);
// start, start + step, ... below end (above it for a negative step).
Tensor Arange(double start, double end, double step = 1, DType dtype = DType::kInt64);
inline Tensor Arange(int64_t n) { return Arange(0, static_cast<double>(n)); }

// A copy of `values` in row-major order; without a shape, a vector.
//   FromValues<float>({1, 2, 3, 4}, {2, 2})
template <typename T>
Tensor FromValues(absl::Span<const T> values, const Shape& shape);
template <typename T>
Tensor FromValues(std::initializer_list<std::type_identity_t<T>> values, const Shape& shape) {
  return FromValues<T>(absl::Span<const T>(values.begin(), values.size()), shape);
}
template <typename T>
Tensor FromValues(std::initializer_list<std::type_identity_t<T>> values) {
  return FromValues<T>(values, Shape{static_cast<int64_t>(values.size())});
}
template <typename T>
Tensor FromVector(const std::vector<T>& values, const Shape& shape) {
  return FromValues<T>(absl::Span<const T>(values), shape);
}

// Draws in PyTorch's order (autograd/random.h): float32 or float64.
Tensor Rand(const Shape& shape, Generator& generator, DType dtype = DType::kFloat32);
Tensor RandN(const Shape& shape, Generator& generator, DType dtype = DType::kFloat32);
// int64 in [low, high).
Tensor RandInt(int64_t low, int64_t high, const Shape& shape, Generator& generator);
// A permutation of 0 .. n-1, int64.
Tensor RandPerm(int64_t n, Generator& generator);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_CREATE_H_
