// Differentiable functions of the user's own.
//
//   // y = x^3 elementwise, dx = 3 x^2 dy
//   const CustomFunction cube = {
//       .name = "cube",
//       .forward = [](ForwardContext& context, const TensorList& in) -> TensorList {
//         context.SaveInput(0);
//         return {in[0] * in[0] * in[0]};
//       },
//       .vjp = [](const VjpCall& call) -> TensorList {
//         const Tensor x = call.in(0);
//         return {3.0 * x * x * call.dout(0)};
//       }};
//   Tensor y = Apply(cube, {x})[0];
#ifndef LEMMA_AUTOGRAD_CUSTOM_H_
#define LEMMA_AUTOGRAD_CUSTOM_H_

#include <cstddef>
#include <functional>
#include <string>

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// What a forward keeps for its vjp. Tensors may reach the vjp by this way only: one that a closure
// carries over is seen neither by the check for in-place changes nor by Recompute.
class ForwardContext {
 public:
  explicit ForwardContext(OpCall& call) : call_(call) {}
  void SaveInput(int i);    // VjpCall::in(i)
  void SaveOutput(int i);   // VjpCall::out(i)
  void Save(Tensor extra);  // VjpCall::extra(0), (1), ...

  // For the engine: throws Error where one of the outputs to save is not among `count`.
  void CheckOutputs(size_t count) const;

 private:
  OpCall& call_;
  int last_output_ = -1;  // of those to save
};

struct CustomFunction {
  std::string name;  // for errors
  // The outputs, at least one; nothing in here is recorded.
  std::function<TensorList(ForwardContext&, const TensorList& inputs)> forward;
  // One gradient for each input, of the input's shape; undefined for zero. Written with ops it can
  // be differentiated again.
  std::function<TensorList(const VjpCall&)> vjp;
};

// Calls the function. A forward or a vjp that breaks the rules above is an Error that names the
// function. `function` is copied; what its closures refer to must outlive the graph.
TensorList Apply(const CustomFunction& function, TensorList inputs);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_CUSTOM_H_
