// Views: tensors that look at the same elements through another shape. This header stands for the
// families that make them.
#ifndef LEMMA_AUTOGRAD_OPS_VIEWS_H_
#define LEMMA_AUTOGRAD_OPS_VIEWS_H_

#include "autograd/ops/reshape.h"   // IWYU pragma: export
#include "autograd/ops/slice.h"     // IWYU pragma: export
#include "autograd/ops/triangle.h"  // IWYU pragma: export

#endif  // LEMMA_AUTOGRAD_OPS_VIEWS_H_
