// Checks of arguments that ops share. Each throws an Error in the name of `op` that says which
// argument broke which rule, what was given, and the way out where there is one.
//
//   void ExpShape(OpCall& call) {
//     CheckFloat(call.name(), "x", call.in(0));
//     call.AddOutput(call.in(0).shape(), call.in(0).dtype());
//   }
#ifndef LEMMA_AUTOGRAD_OPS_CHECKS_H_
#define LEMMA_AUTOGRAD_OPS_CHECKS_H_

#include <cstdint>

#include "autograd/dtype.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"

namespace lemma {

// The argument is there: not a default-made Tensor.
void CheckDefined(const char* op, const char* argument, const Tensor& x);

// float32, float64 or bfloat16.
void CheckFloat(const char* op, const char* argument, const Tensor& x);
// Any type but bool.
void CheckNumber(const char* op, const char* argument, const Tensor& x);
void CheckBool(const char* op, const char* argument, const Tensor& x);
// int64, the type of indices and targets.
void CheckIndex(const char* op, const char* argument, const Tensor& x);
// Each element of a tensor of indices is in [0, size); else the first one that isn't is named with
// its place.
void CheckIndexInRange(const char* op, const char* argument, const Tensor& index, int64_t size);

// A mask as DropoutMask makes it: float32, and no gradient is expected of it.
void CheckDropoutMask(const char* op, const char* argument, const Tensor& mask);

// `b` has the dtype of `a`: ops don't promote. Both must be defined.
void CheckSameDType(const char* op, const Tensor& a, const Tensor& b);
void CheckSameDType(const char* op, const char* a_name, const Tensor& a, const char* b_name,
                    const Tensor& b);
// A number given beside a tensor of `dtype` is representable in it: whole for integers, 0 or 1 for
// bool. Any number will do for a float type.
void CheckScalar(const char* op, const char* argument, double value, DType dtype);

void CheckRank(const char* op, const char* argument, const Tensor& x, int rank);
void CheckMinRank(const char* op, const char* argument, const Tensor& x, int rank);
void CheckShape(const char* op, const char* argument, const Tensor& x, const Shape& shape);

// The common shape of two arguments, by NumPy's rule.
Shape BroadcastOrFail(const char* op, const Tensor& a, const Tensor& b);
Shape BroadcastOrFail(const char* op, const char* a_name, const Shape& a, const char* b_name,
                      const Shape& b);
// `from` stretches to `to`, which stays as it is.
void CheckBroadcastsTo(const char* op, const char* argument, const Shape& from, const Shape& to);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_CHECKS_H_
