// Gradients: walks over the graph of recorded calls.
//
//   Tensor loss = Mean(Square(Linear(x, w) - y));
//   Backward(loss);                       // w.grad() += dloss/dw
//
//   Tensor dw = Grad({loss}, {w})[0];     // leaves every grad() alone
//
//   // Second derivatives: record the first walk, differentiate its result.
//   Tensor g = Grad({Sum(Pow(x, 3))}, {x}, {.create_graph = true})[0];
//   Tensor h = Grad({Sum(g)}, {x})[0];    // 6 x
//
// Where a gradient is NaN or infinite, an AnomalyDetection (autograd/op.h) around forward and walk
// names the op that made the first such value.
//
// A walk runs on the calling thread, latest call first, in a loop. What a call saved is freed as
// soon as its gradient is done, unless the graph is retained. `Grad` may run on many threads at
// once over graphs that share parameters; `Backward` adds to grad() and may not.
#ifndef LEMMA_AUTOGRAD_BACKWARD_H_
#define LEMMA_AUTOGRAD_BACKWARD_H_

#include <vector>

#include "autograd/tensor.h"

namespace lemma {

struct GradOptions {
  // Gradients of the outputs, one each; undefined or none at all stands for 1 of a scalar output.
  std::vector<Tensor> grad_outputs = {};
  // Record the walk, so that the gradients can be differentiated. Implies retain_graph. First-order
  // results then agree with an unrecorded walk to rounding, not to the bit.
  bool create_graph = false;
  // Keep what the calls saved, so that the graph can be walked again.
  bool retain_graph = false;
  // An input that the outputs do not depend on: an undefined tensor in its place, not an Error.
  bool allow_unused = false;
};

// d(outputs)/d(inputs), one tensor of the input's shape for each input, as torch.autograd.grad.
// Inputs may be any tensors that require a gradient, results of calls among them. Throws Error
// where an output has no history, isn't scalar and got no gradient, or an input is not used.
std::vector<Tensor> Grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const GradOptions& options = {});

// Adds the gradient of `output` to grad() of every leaf that it depends on. `grad_output` may be
// left out for a scalar.
//
// With create_graph the gradient of a leaf has a graph that ends in that very leaf: neither is
// freed until the gradient is dropped, by SetGrad(Tensor()) or an optimizer's ZeroGrad. Grad has no
// such cycle.
void Backward(const Tensor& output, const GradOptions& options = {});
void Backward(const std::vector<Tensor>& outputs, const GradOptions& options = {});

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_BACKWARD_H_
