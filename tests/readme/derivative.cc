#include <cstdio>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/functional.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"

int main() {
  using namespace lemma;
  // f(x) = sum of x^2 + sin(x), f'(x) = 2x + cos(x), f''(x) = 2 - sin(x) on the diagonal.
  const auto f = [](const Tensor& x) { return Sum(x * x + Sin(x)); };

  Tensor x = FromValues<double>({0, 1, 2}).SetRequiresGrad(true);
  Backward(f(x));
  for (double slope : x.grad().ToVector<double>()) std::printf("%.4f ", slope);

  const Tensor hessian = Hessian(f, x);  // (3, 3)
  std::printf("| %.4f\n", hessian.ToVector<double>()[4]);
  return 0;
}
