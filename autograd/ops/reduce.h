// Reductions: tensors made from all elements along some dimensions. This header stands for the
// families of them.
#ifndef LEMMA_AUTOGRAD_OPS_REDUCE_H_
#define LEMMA_AUTOGRAD_OPS_REDUCE_H_

#include "autograd/ops/extremes.h"    // IWYU pragma: export
#include "autograd/ops/statistics.h"  // IWYU pragma: export
#include "autograd/ops/sum.h"         // IWYU pragma: export

#endif  // LEMMA_AUTOGRAD_OPS_REDUCE_H_
