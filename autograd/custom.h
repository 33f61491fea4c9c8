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

#include <functional>
#include <string>
#include <utility>

#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

// What a forward keeps for its vjp. Tensors may reach the vjp by this way only: one that a closure
// carries over is seen neither by the check for in-place changes nor by Recompute.
class ForwardContext {
 public:
  explicit ForwardContext(OpCall& call) : call_(call) {}
  void SaveInput(int i) { call_.SaveInput(i); }              // VjpCall::in(i)
  void SaveOutput(int i) { call_.SaveOutput(i); }            // VjpCall::out(i)
  void Save(Tensor extra) { call_.Save(std::move(extra)); }  // VjpCall::extra(0), (1), ...

 private:
  OpCall& call_;
};

struct CustomFunction {
  std::string name;  // for errors
  // The outputs; nothing in here is recorded.
  std::function<TensorList(ForwardContext&, const TensorList& inputs)> forward;
  // One gradient for each input, of the input's shape; undefined for zero. Written with ops it can
  // be differentiated again.
  std::function<TensorList(const VjpCall&)> vjp;
};

// Calls the function. `function` is copied; what its closures refer to must outlive the graph.
TensorList Apply(const CustomFunction& function, TensorList inputs);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_CUSTOM_H_
