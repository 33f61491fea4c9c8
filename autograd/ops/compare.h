// Comparisons, logic on their bool results, and choices by them.
//
//   Tensor causal = LessEqual(Unsqueeze(Arange(T), 0), Unsqueeze(Arange(T), 1));   // (T, T)
//   Tensor y = MaskedFill(scores, LogicalNot(causal), -INFINITY);
//
// Shapes broadcast as in NumPy. Compared tensors have the same dtype; a number takes the dtype of
// the tensor beside it. Comparisons have no gradient. A comparison with NaN is false, NotEqual
// true.
#ifndef LEMMA_AUTOGRAD_OPS_COMPARE_H_
#define LEMMA_AUTOGRAD_OPS_COMPARE_H_

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

Tensor Equal(Tensor a, Tensor b);
Tensor Equal(Tensor a, double b);
Tensor NotEqual(Tensor a, Tensor b);
Tensor NotEqual(Tensor a, double b);
Tensor Less(Tensor a, Tensor b);
Tensor Less(Tensor a, double b);
Tensor LessEqual(Tensor a, Tensor b);
Tensor LessEqual(Tensor a, double b);
Tensor Greater(Tensor a, Tensor b);
Tensor Greater(Tensor a, double b);
Tensor GreaterEqual(Tensor a, Tensor b);
Tensor GreaterEqual(Tensor a, double b);

// Neither infinite nor NaN. bool, of the shape of x; x is of a float type.
Tensor IsFinite(Tensor x);

// Of bool tensors.
Tensor LogicalNot(Tensor x);
Tensor LogicalAnd(Tensor a, Tensor b);
Tensor LogicalOr(Tensor a, Tensor b);

// a where `condition` (bool) is true, b elsewhere. All three broadcast. The gradient of an element
// that is not chosen is 0, whatever its value.
//
// That 0 is still multiplied by the derivative of what made the element: at x = 0 the gradient of
// Where(x > 0, Sqrt(x), 0) is 0 * inf, NaN. Choose what the function sees instead:
//   Tensor positive = Greater(x, 0);
//   Tensor y = Where(positive, Sqrt(Where(positive, x, 1.0)), 0.0);
Tensor Where(Tensor condition, Tensor a, Tensor b);
Tensor Where(Tensor condition, Tensor a, double b);
Tensor Where(Tensor condition, double a, Tensor b);

// `value` where `mask` (bool) is true, x elsewhere; x and mask broadcast.
Tensor MaskedFill(Tensor x, Tensor mask, double value);

extern const OpDef kEqual;
extern const OpDef kNotEqual;
extern const OpDef kLess;
extern const OpDef kLessEqual;
extern const OpDef kGreater;
extern const OpDef kGreaterEqual;
extern const OpDef kIsFinite;
extern const OpDef kLogicalNot;
extern const OpDef kLogicalAnd;
extern const OpDef kLogicalOr;
extern const OpDef kWhere;
extern const OpDef kMaskedFill;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_COMPARE_H_
