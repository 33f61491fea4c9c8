// Functions of one tensor, element by element.
//
//   Tensor y = Tanh(x);
//
// x is of a float type; Abs, Sign and Clamp take integers too. A tensor that was moved in and that
// nobody else holds is overwritten. Values and gradients at special points are PyTorch's: they
// stand with the functions.
#ifndef LEMMA_AUTOGRAD_OPS_POINTWISE_H_
#define LEMMA_AUTOGRAD_OPS_POINTWISE_H_

#include <optional>

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

Tensor Exp(Tensor x);
Tensor Log(Tensor x);    // -inf at 0, NaN below
Tensor Log1p(Tensor x);  // log(1 + x), exact where x is small
Tensor Sqrt(Tensor x);   // gradient inf at 0
Tensor Rsqrt(Tensor x);  // 1 / sqrt(x)
Tensor Sin(Tensor x);
Tensor Cos(Tensor x);
Tensor Erf(Tensor x);  // 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x
Tensor Tanh(Tensor x);
Tensor Sigmoid(Tensor x);     // 1 / (1 + exp(-x))
Tensor Relu(Tensor x);        // max(x, 0), gradient 0 at 0
Tensor Silu(Tensor x);        // x sigmoid(x)
Tensor Abs(Tensor x);         // gradient 0 at 0
Tensor Sign(Tensor x);        // -1, 0 or 1; of NaN 0; no gradient
Tensor Square(Tensor x);      // x * x
Tensor Reciprocal(Tensor x);  // 1 / x

// x held between `min` and `max`, of which either may be missing; `max` where min > max. NaN stays.
// The gradient is 1 between the bounds, 0 on them and beyond, and 0 of NaN.
Tensor Clamp(Tensor x, std::optional<double> min, std::optional<double> max = std::nullopt);

extern const OpDef kExp;
extern const OpDef kLog;
extern const OpDef kLog1p;
extern const OpDef kSqrt;
extern const OpDef kRsqrt;
extern const OpDef kSin;
extern const OpDef kCos;
extern const OpDef kErf;
extern const OpDef kTanh;
extern const OpDef kSigmoid;
extern const OpDef kRelu;
extern const OpDef kSilu;
extern const OpDef kAbs;
extern const OpDef kSign;
extern const OpDef kClamp;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_POINTWISE_H_
