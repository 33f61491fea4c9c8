// What ops on two tensors, or on a tensor and a number, have in common: their attributes, shape
// rule and forward.
//
//   Tensor Mul(Tensor a, Tensor b) { return CallBinary(kMul, std::move(a), std::move(b)); }
//   Tensor Mul(Tensor a, double b) { return CallBinary(kMul, std::move(a), b); }
//   void MulForward(OpCall& call) {
//     BinaryForward(call, [](auto a, auto b) { return a * b; });
//   }
//
// A number takes the place of an undefined input and keeps its full precision; it is converted to
// the type that the tensor's elements are computed in.
#ifndef LEMMA_AUTOGRAD_OPS_BINARY_H_
#define LEMMA_AUTOGRAD_OPS_BINARY_H_

#include <cstdint>
#include <type_traits>
#include <utility>

#include "autograd/dtype.h"
#include "autograd/kernels/elementwise_loop.h"
#include "autograd/op.h"
#include "autograd/ops/checks.h"
#include "autograd/tensor.h"

namespace lemma {

struct BinaryAttributes {
  double number = 0;
  int number_at = -1;  // which input the number stands for; -1: both are tensors
};

inline Tensor CallBinary(const OpDef& op, Tensor a, Tensor b) {
  return Call(op, BinaryAttributes{}, std::move(a), std::move(b));
}
inline Tensor CallBinary(const OpDef& op, Tensor a, double b) {
  CheckDefined(op.name, "a", a);
  return Call(op, BinaryAttributes{b, 1}, std::move(a), Tensor());
}
inline Tensor CallBinary(const OpDef& op, double a, Tensor b) {
  CheckDefined(op.name, "b", b);
  return Call(op, BinaryAttributes{a, 0}, Tensor(), std::move(b));
}

// The tensor among the two inputs whose dtype both have.
inline const Tensor& TypedInput(const OpCall& call) {
  return call.in(call.attributes<BinaryAttributes>().number_at == 0 ? 1 : 0);
}

// Checks the inputs and declares output 0: the common shape, of type `dtype` or, without one, of
// the inputs' type.
void BinaryShape(OpCall& call);
void BinaryShape(OpCall& call, DType dtype);

// Output 0, in the memory of an input where one is given up.
Tensor& BinaryOutput(OpCall& call);

// y = fn(x) at the strides of x; y is dense.
template <typename Out, typename T, typename Fn>
void UnaryLoop(const Tensor& x, Fn fn, Tensor& y) {
  const T* from = x.data<T>();
  Out* to = y.mutable_data<Out>();
  if (x.IsContiguous()) {
    kernels::ElementwiseFlat(x.numel(), fn, to, from);
  } else {
    kernels::ElementwiseLoop(x.shape().sizes(), fn,
                             kernels::StridedArray<Out>{to, y.strides().data()},
                             kernels::StridedArray<const T>{from, x.strides().data()});
  }
}

// y = fn(a, b), broadcast to the shape of y, which is dense.
template <typename Out, typename T, typename Fn>
void BinaryLoop(const Tensor& a, const Tensor& b, Fn fn, Tensor& y) {
  const T* left = a.data<T>();
  const T* right = b.data<T>();
  Out* to = y.mutable_data<Out>();
  if (a.IsContiguous() && b.IsContiguous() && a.shape() == b.shape()) {
    kernels::ElementwiseFlat(y.numel(), fn, to, left, right);
    return;
  }
  const Strides a_strides = BroadcastStrides(a.shape(), a.strides(), y.shape());
  const Strides b_strides = BroadcastStrides(b.shape(), b.strides(), y.shape());
  kernels::ElementwiseLoop(y.shape().sizes(), fn,
                           kernels::StridedArray<Out>{to, y.strides().data()},
                           kernels::StridedArray<const T>{left, a_strides.data()},
                           kernels::StridedArray<const T>{right, b_strides.data()});
}

// The call's output for elements of type T and results of type Out.
template <typename Out, typename T, typename Fn>
void BinaryForwardAs(OpCall& call, Fn fn) {
  const BinaryAttributes& attributes = call.attributes<BinaryAttributes>();
  const auto number = static_cast<Accumulator<T>>(attributes.number);
  using A = std::remove_const_t<decltype(number)>;
  Tensor& y = BinaryOutput(call);
  if (attributes.number_at == 1) {
    UnaryLoop<Out, T>(call.in(0), [fn, number](A a) { return fn(a, number); }, y);
  } else if (attributes.number_at == 0) {
    UnaryLoop<Out, T>(call.in(1), [fn, number](A b) { return fn(number, b); }, y);
  } else {
    BinaryLoop<Out, T>(call.in(0), call.in(1), fn, y);
  }
}

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_BINARY_H_
