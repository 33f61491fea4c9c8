#include "autograd/ops/in_place.h"

#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/elementwise_loop.h"
#include "autograd/ops/checks.h"

namespace lemma {
namespace {

using kernels::StridedArray;

// Whether two positions of x may be one element; never so for what views other than Expand make.
bool RepeatsElements(const Tensor& x) {
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape()[i] > 1 && x.strides()[i] == 0) return true;
  }
  return false;
}

// `name` is that of the other tensor.
void CheckInPlace(const char* op, const Tensor& x, const char* name, const Tensor& other) {
  CheckDefined(op, "x", x);
  if (IsGradEnabled() && (x.requires_grad() || other.requires_grad())) {
    Fail(op, x.requires_grad() ? "x" : name,
         ": requires a gradient, and changes in place are not recorded; put it under NoGrad, or "
         "make a new tensor with an op");
  }
  if (RepeatsElements(x)) {
    Fail(op, "x: shows the same element several times, as Expand does; change a Clone() of it");
  }
}

// A tensor that can be read while x is written: `y` itself, unless the two share memory otherwise
// than element by element.
Tensor ReadableBeside(const Tensor& x, const Tensor& y) {
  if (!(x.storage() == y.storage())) return y.Detach();
  const bool same_elements = x.offset() == y.offset() && x.shape() == y.shape() &&
                             x.strides() == y.strides() && x.dtype() == y.dtype();
  if (same_elements) return y.Detach();
  Tensor copy = Tensor::Empty(y.shape(), y.dtype());
  CopyStrided(y.dtype(), y.shape(), y.Detach().raw_data(), y.strides(), copy.mutable_raw_data());
  return copy;
}

}  // namespace

void Fill(Tensor& x, double value) {
  CheckInPlace("fill", x, "", Tensor());
  CheckScalar("fill", "value", value, x.dtype());
  VisitDType(x.dtype(), [&]<typename T>() {
    const T element = kernels::ConvertElement<T>(value);
    kernels::ElementwiseLoop(
        x.shape().sizes(), [element]() { return element; },
        StridedArray<T>{x.mutable_data<T>(), x.strides().data()});
  });
}

void CopyFrom(Tensor& x, const Tensor& from) {
  CheckDefined("copy_from", "from", from);
  CheckInPlace("copy_from", x, "from", from);
  CheckBroadcastsTo("copy_from", "from", from.shape(), x.shape());
  const Tensor source = ReadableBeside(x, from);
  const Strides strides = BroadcastStrides(source.shape(), source.strides(), x.shape());
  VisitDType(x.dtype(), [&]<typename To>() {
    To* to = x.mutable_data<To>();
    VisitDType(source.dtype(), [&]<typename From>() {
      kernels::ElementwiseLoop(
          x.shape().sizes(), [](Accumulator<From> value) { return value; },
          StridedArray<To>{to, x.strides().data()},
          StridedArray<const From>{source.data<From>(), strides.data()});
    });
  });
}

void AddInPlace(Tensor& x, const Tensor& y, double alpha) {
  CheckInPlace("add_in_place", x, "y", y);
  CheckNumber("add_in_place", "x", x);
  CheckSameDType("add_in_place", "x", x, "y", y);
  CheckScalar("add_in_place", "alpha", alpha, x.dtype());
  CheckBroadcastsTo("add_in_place", "y", y.shape(), x.shape());
  const Tensor source = ReadableBeside(x, y);
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      using A = Accumulator<T>;
      const A factor = static_cast<A>(alpha);
      const T* from = source.data<T>();
      T* to = x.mutable_data<T>();
      if (x.IsContiguous() && source.IsContiguous() && x.shape() == source.shape()) {
        if (factor == A{1}) {
          kernels::AddInto<T>(x.numel(), from, to);
        } else {
          kernels::Axpy<T>(x.numel(), factor, from, to);
        }
        return;
      }
      const Strides strides = BroadcastStrides(source.shape(), source.strides(), x.shape());
      kernels::ElementwiseLoop(
          x.shape().sizes(), [factor](A value, A term) { return value + factor * term; },
          StridedArray<T>{to, x.strides().data()}, StridedArray<const T>{to, x.strides().data()},
          StridedArray<const T>{from, strides.data()});
    }
  });
}

}  // namespace lemma
