// Arithmetic on tensors, element by element.
//
//   Tensor z = (x + 1) * y;       // the same as Mul(Add(x, 1), y)
//   z += x;                       // z = z + x: another tensor, recorded like any op
//
// Shapes broadcast as in NumPy. Both tensors have the same dtype (Cast converts one); a number
// takes the dtype of the tensor beside it, so beside integers it must be whole. bool tensors are
// refused. Integers wrap around.
//
// An operand that was moved in and that nobody else holds is overwritten: `a + std::move(b)` makes
// no new array.
#ifndef LEMMA_AUTOGRAD_OPS_ARITHMETIC_H_
#define LEMMA_AUTOGRAD_OPS_ARITHMETIC_H_

#include <utility>

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

Tensor Add(Tensor a, Tensor b);
Tensor Add(Tensor a, double b);

Tensor Sub(Tensor a, Tensor b);
Tensor Sub(Tensor a, double b);
Tensor Sub(double a, Tensor b);

Tensor Mul(Tensor a, Tensor b);
Tensor Mul(Tensor a, double b);

// a / b, of float types.
Tensor Div(Tensor a, Tensor b);
Tensor Div(Tensor a, double b);
Tensor Div(double a, Tensor b);

// -x
Tensor Neg(Tensor x);

inline Tensor operator+(Tensor a, Tensor b) { return Add(std::move(a), std::move(b)); }
inline Tensor operator+(Tensor a, double b) { return Add(std::move(a), b); }
inline Tensor operator+(double a, Tensor b) { return Add(std::move(b), a); }
inline Tensor operator-(Tensor a, Tensor b) { return Sub(std::move(a), std::move(b)); }
inline Tensor operator-(Tensor a, double b) { return Sub(std::move(a), b); }
inline Tensor operator-(double a, Tensor b) { return Sub(a, std::move(b)); }
inline Tensor operator*(Tensor a, Tensor b) { return Mul(std::move(a), std::move(b)); }
inline Tensor operator*(Tensor a, double b) { return Mul(std::move(a), b); }
inline Tensor operator*(double a, Tensor b) { return Mul(std::move(b), a); }
inline Tensor operator/(Tensor a, Tensor b) { return Div(std::move(a), std::move(b)); }
inline Tensor operator/(Tensor a, double b) { return Div(std::move(a), b); }
inline Tensor operator/(double a, Tensor b) { return Div(a, std::move(b)); }
inline Tensor operator-(Tensor x) { return Neg(std::move(x)); }

// x = x + y and so on: x is bound to the result; other handles of the old x keep their values. If
// the call is refused, x stays as it was.
Tensor& operator+=(Tensor& x, Tensor y);
Tensor& operator-=(Tensor& x, Tensor y);
Tensor& operator*=(Tensor& x, Tensor y);
Tensor& operator/=(Tensor& x, Tensor y);
Tensor& operator+=(Tensor& x, double y);
Tensor& operator-=(Tensor& x, double y);
Tensor& operator*=(Tensor& x, double y);
Tensor& operator/=(Tensor& x, double y);

extern const OpDef kAdd;
extern const OpDef kSub;
extern const OpDef kMul;
extern const OpDef kDiv;
extern const OpDef kNeg;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_ARITHMETIC_H_
