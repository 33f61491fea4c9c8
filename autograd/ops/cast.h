// Conversion between element types.
//
//   Tensor half = Cast(x, DType::kBFloat16);
//
// Floats round to nearest, ties to even; a float to an integer drops the fraction; to bool asks
// whether it is not 0. A float that the integer type can't hold, NaN among them, has no defined
// result. Between float types a gradient flows, in the dtype of x. Where x has the type already,
// it is returned as it is.
#ifndef LEMMA_AUTOGRAD_OPS_CAST_H_
#define LEMMA_AUTOGRAD_OPS_CAST_H_

#include "autograd/dtype.h"
#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

Tensor Cast(Tensor x, DType dtype);

extern const OpDef kCast;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_CAST_H_
