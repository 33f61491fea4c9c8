#include "autograd/custom.h"

#include <memory>
#include <utility>

namespace lemma {
namespace {

// The function and its record, which has the function's name.
struct Definition {
  CustomFunction function;
  OpDef op;
};

struct CustomAttributes {
  std::shared_ptr<const Definition> definition;
  int num_inputs;
};

void CustomForward(OpCall& call) {
  TensorList inputs;
  for (int i = 0; i < call.num_inputs(); ++i) inputs.push_back(call.in(i));
  ForwardContext context(call);
  const TensorList outputs =
      call.attributes<CustomAttributes>().definition->function.forward(context, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) call.SetOutput(static_cast<int>(i), outputs[i]);
}

void CustomVjp(const VjpCall& call, GradSink& grads) {
  const auto& attributes = call.attributes<CustomAttributes>();
  const CustomFunction& function = attributes.definition->function;
  TensorList din = function.vjp(call);
  if (static_cast<int>(din.size()) != attributes.num_inputs) {
    Fail(function.name.c_str(), "its vjp returned ", din.size(), " gradients for ",
         attributes.num_inputs, " inputs; an input without one gets an undefined tensor");
  }
  for (int i = 0; i < attributes.num_inputs; ++i) {
    if (!din[i].defined() || !grads.Needs(i)) continue;
    if (din[i].shape() != call.in_spec(i).shape) {
      Fail(function.name.c_str(), "its vjp gives input ", i, " a gradient of shape ",
           din[i].shape().ToString(), "; the input is ", call.in_spec(i).shape.ToString());
    }
    grads.Add(i, std::move(din[i]));
  }
}

}  // namespace

TensorList Apply(const CustomFunction& function, TensorList inputs) {
  const auto definition = std::make_shared<Definition>();
  definition->function = function;
  definition->op = {
      .name = definition->function.name.c_str(), .forward = CustomForward, .vjp = CustomVjp};
  CustomAttributes attributes{definition, static_cast<int>(inputs.size())};
  return CallWithList(definition->op, std::move(attributes), std::move(inputs));
}

}  // namespace lemma
