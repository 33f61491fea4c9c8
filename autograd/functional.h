// Derivatives of functions, as functions.
//
//   auto f = [](const Tensor& x) { return Sum(Pow(x, 3.0)); };
//   Hessian(f, FromValues<double>({1, 2}));        // [[6, 0], [0, 12]]
//   Hvp(f, x, v);                                  // H v without H
//
// The function may be any composition of ops. It is called with tensors of its own, so nothing
// that the caller holds gets a grad(). Results carry no history.
#ifndef LEMMA_AUTOGRAD_FUNCTIONAL_H_
#define LEMMA_AUTOGRAD_FUNCTIONAL_H_

#include <functional>
#include <vector>

#include "autograd/tensor.h"

namespace lemma {

using TensorFunction = std::function<Tensor(const Tensor&)>;
using TensorListFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

struct FunctionalResult {
  std::vector<Tensor> outputs;
  std::vector<Tensor> products;
};

// outputs = f(inputs), products[i] = sum over outputs of (d output / d inputs[i])^T dout: a
// gradient for each input. An input that f does not use gets zeros.
FunctionalResult Vjp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                     const std::vector<Tensor>& douts);
Tensor Vjp(const TensorFunction& f, const Tensor& x, const Tensor& dout);

// outputs = f(inputs), products[j] = sum over inputs of (d outputs[j] / d input) tangent. Computed
// as the vjp of the vjp, which is linear in dout: two walks.
FunctionalResult Jvp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                     const std::vector<Tensor>& tangents);
Tensor Jvp(const TensorFunction& f, const Tensor& x, const Tensor& tangent);

// J[i..., j...] = d f(x)[i...] / d x[j...], of shape f(x).shape + x.shape: one walk for each
// element of f(x).
Tensor Jacobian(const TensorFunction& f, const Tensor& x);

// The Jacobian of the gradient of a scalar function, of shape x.shape + x.shape.
Tensor Hessian(const TensorFunction& f, const Tensor& x);

// Hessian times v (of x's shape), by differentiating <gradient, v>.
Tensor Hvp(const TensorFunction& f, const Tensor& x, const Tensor& v);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_FUNCTIONAL_H_
