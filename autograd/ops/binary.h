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
#include "autograd/op.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/loops.h"
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

// The call's output for elements of type T and results of type Out.
template <typename Out, typename T, typename Fn>
void BinaryForwardAs(OpCall& call, Fn fn) {
  const BinaryAttributes& attributes = call.attributes<BinaryAttributes>();
  const auto number = static_cast<Accumulator<T>>(attributes.number);
  using A = std::remove_const_t<decltype(number)>;
  Tensor& y = BinaryOutput(call);
  if (attributes.number_at == 1) {
    UnaryLoop<Out, T>(
        call.in(0), [fn, number](A a) { return fn(a, number); }, y);
  } else if (attributes.number_at == 0) {
    UnaryLoop<Out, T>(
        call.in(1), [fn, number](A b) { return fn(number, b); }, y);
  } else {
    BinaryLoop<Out, T, T>(call.in(0), call.in(1), fn, y);
  }
}

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_BINARY_H_
