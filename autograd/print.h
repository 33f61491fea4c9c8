// Tensors as text, as PyTorch prints them.
//
//   std::cout << x;
//
//   tensor([[1.0000, 2.5000],
//           [0.0000,     nan]], dtype=float64, grad_fn=<mul>)
//
// The rules are those of torch.set_printoptions' defaults. Floats have 4 digits behind the point;
// none where all are whole ("3."); an exponent where the greatest magnitude is over 1000 times the
// least or over 1e8, or the least is under 1e-4 (zeros, infinities and NaN don't count). Of more
// than 1000 elements, the first and last 3 along each dimension are shown, and only they decide.
// Lines break at 80 columns.
//
// What follows the elements: the shape of a tensor without elements, `size=(2, 0)`; the dtype,
// unless it is float32, int64 or bool; `requires_grad=True` of a leaf, the op of a result.
#ifndef LEMMA_AUTOGRAD_PRINT_H_
#define LEMMA_AUTOGRAD_PRINT_H_

#include <ostream>
#include <string>

#include "autograd/tensor.h"

namespace lemma {

// An undefined tensor is "tensor(undefined)".
std::string ToString(const Tensor& x);

std::ostream& operator<<(std::ostream& out, const Tensor& x);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_PRINT_H_
