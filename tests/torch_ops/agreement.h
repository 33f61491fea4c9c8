// Whether a call of this library gives what PyTorch's operator gave.
#ifndef LEMMA_TESTS_TORCH_OPS_AGREEMENT_H_
#define LEMMA_TESTS_TORCH_OPS_AGREEMENT_H_

#include <string>

#include "autograd/dtype.h"
#include "autograd/tensor.h"
#include "tests/torch_ops/table.h"

namespace lemma::torch_ops {

// Where `got` differs from `expected` in shape, type or an element, in words; "" where they agree.
// Elements may differ by `tolerance` times the largest finite magnitude in `expected`, at least 1.
// NaN agrees with NaN, an infinity with itself, -0 with 0.
std::string Difference(const Tensor& got, const Tensor& expected, double tolerance);

// Runs sample `i` of `op` in `dtype` and compares outputs and gradients, within 1e-10 for float64
// and 1e-5 for float32. In float64 gradients are compared as a plain walk gives them and as a
// recorded walk does, and so are those of second order, where the sample has them. "" where all
// agree, else the first difference.
std::string Disagreement(const std::string& op, int i, DType dtype);

// Runs the refused call `i` of `op`. "" where it throws lemma::Error, else what happened.
std::string Acceptance(const std::string& op, int i);

}  // namespace lemma::torch_ops

#endif  // LEMMA_TESTS_TORCH_OPS_AGREEMENT_H_
