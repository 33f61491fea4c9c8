#include "autograd/shape.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/error.h"

namespace lemma {

int64_t Shape::numel() const {
  int64_t product = 1;
  bool overflow = false;
  for (int64_t size : sizes_) {
    if (size == 0) return 0;
    overflow |= __builtin_mul_overflow(product, size, &product);
  }
  if (overflow) Fail("shape", "no tensor has as many elements as ", ToString());
  return product;
}

std::string Shape::ToString() const {
  return absl::StrCat("(", absl::StrJoin(sizes_, ", "), sizes_.size() == 1 ? ",)" : ")");
}

Strides ContiguousStrides(const Shape& shape) {
  Strides strides(shape.rank());
  const int64_t* size = shape.end();
  int64_t product = 1;
  for (int64_t* stride = strides.end(); stride != strides.begin();) {
    *--stride = product;
    product *= std::max<int64_t>(*--size, 1);
  }
  return strides;
}

bool IsContiguous(const Shape& shape, const Strides& strides) {
  int64_t expected = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) {
      return shape.numel() == 0;
    }
    expected *= shape[i];
  }
  return true;
}

bool Broadcast(const Shape& a, const Shape& b, Shape* result) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  const int extra = longer.rank() - shorter.rank();
  Shape merged = longer;
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t size = shorter[i];
    int64_t& other = merged[i + extra];
    if (other == 1) {
      other = size;
    } else if (size != 1 && size != other) {
      return false;
    }
  }
  *result = std::move(merged);
  return true;
}

bool BroadcastsTo(const Shape& from, const Shape& to) {
  Shape merged;
  return Broadcast(from, to, &merged) && merged == to;
}

Strides BroadcastStrides(const Shape& shape, const Strides& strides, const Shape& to) {
  Strides result(to.rank(), 0);
  const int extra = to.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    result[i + extra] = shape[i] == 1 && to[i + extra] != 1 ? 0 : strides[i];
  }
  return result;
}

void FailDim(const char* op, int64_t dim, int rank) {
  const int range = std::max(rank, 1);
  Fail(op, "dim: ", dim, " is not in [", -range, ", ", range - 1,
       "], the dimensions of a tensor of rank ", rank);
}

}  // namespace lemma
