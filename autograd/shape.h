// Shapes, strides and the arithmetic on them.
#ifndef LEMMA_AUTOGRAD_SHAPE_H_
#define LEMMA_AUTOGRAD_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace lemma {

// Steps, in elements, between neighbours along each dimension.
using Strides = absl::InlinedVector<int64_t, 6>;

// The sizes of a tensor's dimensions. A scalar has rank 0 and one element.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes) : sizes_(sizes) {}
  explicit Shape(absl::Span<const int64_t> sizes) : sizes_(sizes.begin(), sizes.end()) {}

  int rank() const { return static_cast<int>(sizes_.size()); }
  int64_t operator[](int i) const { return sizes_[i]; }
  int64_t& operator[](int i) { return sizes_[i]; }
  int64_t back() const { return sizes_.back(); }
  // Product of the sizes; 1 for a scalar. Throws Error where it is 2^63 or more.
  int64_t numel() const;
  absl::Span<const int64_t> sizes() const { return sizes_; }

  auto begin() const { return sizes_.begin(); }
  auto end() const { return sizes_.end(); }
  void Append(int64_t size) { sizes_.push_back(size); }
  void Insert(int at, int64_t size) { sizes_.insert(sizes_.begin() + at, size); }
  void Erase(int at) { sizes_.erase(sizes_.begin() + at); }

  // "(4, 8)", "(3,)", "()".
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) { return a.sizes_ == b.sizes_; }

 private:
  absl::InlinedVector<int64_t, 6> sizes_;
};

// Strides of a tensor of this shape whose elements lie in row-major order without gaps.
Strides ContiguousStrides(const Shape& shape);

// Whether elements at these strides lie in row-major order without gaps. Strides of dimensions of
// size 1 do not matter; a tensor without elements is contiguous.
bool IsContiguous(const Shape& shape, const Strides& strides);

// The shape to which `a` and `b` broadcast by NumPy's rule: sizes are aligned at the end; equal
// sizes stay, a size of 1 is stretched. False where they don't fit.
bool Broadcast(const Shape& a, const Shape& b, Shape* result);

// Whether `from` broadcasts to exactly `to`.
bool BroadcastsTo(const Shape& from, const Shape& to);

// Strides that read a tensor of `shape` and `strides` as one of shape `to`: 0 where stretched.
Strides BroadcastStrides(const Shape& shape, const Strides& strides, const Shape& to);

// Throws the Error of NormalizeDim.
[[noreturn]] void FailDim(const char* op, int64_t dim, int rank);

// Checks that `dim` is in [-rank, rank) and returns it counted from the front; throws Error in the
// name of `op`. With rank 0, dimensions 0 and -1 stand for the scalar itself.
inline int NormalizeDim(const char* op, int64_t dim, int rank) {
  const int64_t range = rank > 0 ? rank : 1;
  if (dim < -range || dim >= range) FailDim(op, dim, rank);
  return static_cast<int>(dim < 0 ? dim + range : dim);
}

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_SHAPE_H_
