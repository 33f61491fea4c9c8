// All that an exercise's code needs of Lemma, in the exercise's namespace.
#ifndef LEMMA_TOOLS_GRADING_HOMEWORK_H_
#define LEMMA_TOOLS_GRADING_HOMEWORK_H_

#include <cmath>      // IWYU pragma: export
#include <cstdint>    // IWYU pragma: export
#include <stdexcept>  // IWYU pragma: export
#include <vector>     // IWYU pragma: export

#include "autograd/create.h"          // IWYU pragma: export
#include "autograd/ops/arithmetic.h"  // IWYU pragma: export
#include "autograd/ops/compare.h"     // IWYU pragma: export
#include "autograd/ops/index.h"       // IWYU pragma: export
#include "autograd/ops/join.h"        // IWYU pragma: export
#include "autograd/ops/matmul.h"      // IWYU pragma: export
#include "autograd/ops/pointwise.h"   // IWYU pragma: export
#include "autograd/ops/reduce.h"      // IWYU pragma: export
#include "autograd/ops/softmax.h"     // IWYU pragma: export
#include "autograd/ops/views.h"       // IWYU pragma: export
#include "autograd/random.h"          // IWYU pragma: export
#include "autograd/tensor.h"          // IWYU pragma: export

namespace homework {

using namespace lemma;  // NOLINT: a learner's file should begin with the exercise.

}  // namespace homework

#endif  // LEMMA_TOOLS_GRADING_HOMEWORK_H_
