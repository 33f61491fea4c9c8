#include "autograd/ops/checks.h"

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/error.h"

namespace lemma {
namespace {

// "; a is (4, 2), b is (3, 2)"
std::string BothShapes(const char* a_name, const Shape& a, const char* b_name, const Shape& b) {
  return absl::StrCat("; ", a_name, " is ", a.ToString(), ", ", b_name, " is ", b.ToString());
}

// The last dimension, counted from the end, in which two shapes do not fit.
int FirstMisfit(const Shape& a, const Shape& b) {
  int dim = -1;
  while (a[a.rank() + dim] == b[b.rank() + dim] || a[a.rank() + dim] == 1 ||
         b[b.rank() + dim] == 1) {
    --dim;
  }
  return dim;
}

}  // namespace

void CheckDefined(const char* op, const char* argument, const Tensor& x) {
  if (!x.defined()) Fail(op, argument, ": the tensor is undefined; give it a value first");
}

void CheckFloat(const char* op, const char* argument, const Tensor& x) {
  CheckDefined(op, argument, x);
  if (!IsFloat(x.dtype())) {
    Fail(op, argument, ": must be of a float type, and is ", Name(x.dtype()), "; use Cast(",
         argument, ", DType::kFloat32)");
  }
}

void CheckNumber(const char* op, const char* argument, const Tensor& x) {
  CheckDefined(op, argument, x);
  if (x.dtype() == DType::kBool) {
    Fail(op, argument, ": must hold numbers, and is bool; use Cast(", argument,
         ", DType::kInt64), or the logical ops");
  }
}

void CheckBool(const char* op, const char* argument, const Tensor& x) {
  CheckDefined(op, argument, x);
  if (x.dtype() != DType::kBool) {
    Fail(op, argument, ": must be bool, and is ", Name(x.dtype()), "; compare it, as in NotEqual(",
         argument, ", 0)");
  }
}

void CheckIndex(const char* op, const char* argument, const Tensor& x) {
  CheckDefined(op, argument, x);
  if (x.dtype() != DType::kInt64) {
    Fail(op, argument, ": must be int64, and is ", Name(x.dtype()), "; use Cast(", argument,
         ", DType::kInt64)");
  }
}

void CheckIndexInRange(const char* op, const char* argument, const Tensor& index, int64_t size) {
  const Tensor dense = index.DetachedContiguous();
  const int64_t* values = dense.data<int64_t>();
  for (int64_t i = 0; i < dense.numel(); ++i) {
    if (values[i] >= 0 && values[i] < size) continue;
    Shape place = dense.shape();
    int64_t rest = i;
    for (int d = place.rank() - 1; d >= 0; --d) {
      place[d] = rest % dense.shape()[d];
      rest /= dense.shape()[d];
    }
    Fail(op, argument, ": ", values[i], " at ", place.ToString(), " is not in [0, ", size, ")");
  }
}

void CheckDropoutMask(const char* op, const char* argument, const Tensor& mask) {
  if (mask.dtype() != DType::kFloat32) {
    Fail(op, argument, ": it must be float32, as DropoutMask makes it; it is ", Name(mask.dtype()));
  }
  if (mask.requires_grad()) {
    Fail(op, argument, ": it requires a gradient, and a mask gets none; pass ", argument,
         ".Detach()");
  }
}

void CheckSameDType(const char* op, const Tensor& a, const Tensor& b) {
  CheckSameDType(op, "a", a, "b", b);
}

void CheckSameDType(const char* op, const char* a_name, const Tensor& a, const char* b_name,
                    const Tensor& b) {
  CheckDefined(op, a_name, a);
  CheckDefined(op, b_name, b);
  if (a.dtype() != b.dtype()) {
    Fail(op, b_name, ": its dtype must be that of ", a_name, "; ", a_name, " is ", Name(a.dtype()),
         ", ", b_name, " is ", Name(b.dtype()), "; use Cast(", b_name, ", ", a_name,
         ".dtype()) or the other way round");
  }
}

void CheckScalar(const char* op, const char* argument, double value, DType dtype) {
  if (IsFloat(dtype)) return;
  double low = 0, high = 2;  // bool
  if (dtype == DType::kInt32) low = -0x1p31, high = 0x1p31;
  if (dtype == DType::kInt64) low = -0x1p63, high = 0x1p63;
  if (!(value >= low && value < high) || value != std::floor(value)) {
    Fail(op, argument, ": ", value, " is not a value of ", Name(dtype),
         ", the tensor's dtype; use Cast on the tensor");
  }
}

void CheckRank(const char* op, const char* argument, const Tensor& x, int rank) {
  CheckDefined(op, argument, x);
  if (x.rank() != rank) {
    Fail(op, argument, ": must have ", rank, rank == 1 ? " dimension" : " dimensions", ", and has ",
         x.rank(), "; it is ", x.shape().ToString());
  }
}

void CheckMinRank(const char* op, const char* argument, const Tensor& x, int rank) {
  CheckDefined(op, argument, x);
  if (x.rank() < rank) {
    Fail(op, argument, ": must have at least ", rank, rank == 1 ? " dimension" : " dimensions",
         ", and has ", x.rank(), "; it is ", x.shape().ToString());
  }
}

void CheckShape(const char* op, const char* argument, const Tensor& x, const Shape& shape) {
  CheckDefined(op, argument, x);
  if (!(x.shape() == shape)) {
    Fail(op, argument, ": its shape must be ", shape.ToString(), ", and is ", x.shape().ToString());
  }
}

Shape BroadcastOrFail(const char* op, const Tensor& a, const Tensor& b) {
  return BroadcastOrFail(op, "a", a.shape(), "b", b.shape());
}

Shape BroadcastOrFail(const char* op, const char* a_name, const Shape& a, const char* b_name,
                      const Shape& b) {
  if (a == b) return a;
  Shape result;
  if (!Broadcast(a, b, &result)) {
    const int dim = FirstMisfit(a, b);
    Fail(op, b_name, ": its size ", b[b.rank() + dim], " in dimension ", dim, " must be 1 or the ",
         a[a.rank() + dim], " of ", a_name, BothShapes(a_name, a, b_name, b));
  }
  return result;
}

void CheckBroadcastsTo(const char* op, const char* argument, const Shape& from, const Shape& to) {
  if (!BroadcastsTo(from, to)) {
    Fail(op, argument, ": ", from.ToString(), " does not broadcast to ", to.ToString(),
         "; sizes aligned at the end must be equal, or 1 in ", argument);
  }
}

}  // namespace lemma
