// Checks of gradients against differences.
//
//   GradCheckReport report = GradCheck(
//       [](const std::vector<Tensor>& in) { return std::vector<Tensor>{MatMul(in[0], in[1])}; },
//       {a, b});                                // float64
//   if (!report.passed) std::puts(report.explanation.c_str());
//
// In tests, autograd/gradcheck_matchers.h says the same in a line.
//
// An input of type float64 is differentiated; what has another type, such as indices or a mask, is
// passed along as it is. Each number of the Jacobian that the engine computes is compared with a
// central difference, (f(x + eps) - f(x - eps)) / (2 eps), whose own error is about
// 1e-16 |f| / eps + eps^2 |f'''|. So f must be smooth at the inputs: keep them away from kinks and
// ties by more than eps. Where the Jacobian is large, one random direction v and one random
// cotangent u stand for it: <J^T u, v> is compared with the difference of <u, f> along v.
//
// f must compute the same each time that it is called, and return float64 tensors; outputs of
// integers or bools have no gradient and are left out.
#ifndef LEMMA_AUTOGRAD_GRADCHECK_H_
#define LEMMA_AUTOGRAD_GRADCHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/functional.h"
#include "autograd/tensor.h"

namespace lemma {

struct GradCheckOptions {
  double eps = 1e-6;
  // A gradient g passes beside a difference d if |g - d| <= atol + rtol |d|.
  double atol = 1e-6;
  double rtol = 1e-5;
  // The largest Jacobian, in numbers, that is checked number by number.
  int64_t max_jacobian = 4096;
  // Of the random direction and cotangents.
  uint64_t seed = 1;
};

struct GradCheckReport {
  bool passed = true;
  // The first mismatch: "d output 0 (1,) / d input 1 (0, 2): the gradient is 2, differences give
  // 1.5". Empty where none was found.
  std::string explanation;
};

// First order: the gradient of f. Throws Error where no input is float64 or an output is float32
// or bfloat16.
GradCheckReport GradCheck(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                          const GradCheckOptions& options = {});

// Second order: the gradient of f's recorded gradient, with respect to the inputs and to the
// cotangents of the outputs (float64 normal draws), which count as further inputs in explanations.
GradCheckReport GradGradCheck(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                              const GradCheckOptions& options = {});

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_GRADCHECK_H_
