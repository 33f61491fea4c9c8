#include "autograd/custom.h"

#include <algorithm>
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
  if (outputs.empty()) Fail(call.name(), "its forward returned no output; return at least one");
  context.CheckOutputs(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].defined()) continue;
    Fail(call.name(), "its forward returned an undefined tensor as output ", i);
  }
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

void ForwardContext::SaveInput(int i) {
  if (i < 0 || i >= call_.num_inputs()) {
    Fail(call_.name(), "SaveInput: there is no input ", i, "; there are ", call_.num_inputs(),
         ", counted from 0");
  }
  call_.SaveInput(i);
}

void ForwardContext::SaveOutput(int i) {
  if (i < 0) Fail(call_.name(), "SaveOutput: there is no output ", i);
  last_output_ = std::max(last_output_, i);
  call_.SaveOutput(i);
}

void ForwardContext::Save(Tensor extra) {
  if (!extra.defined()) Fail(call_.name(), "Save: the tensor is undefined");
  call_.Save(std::move(extra));
}

void ForwardContext::CheckOutputs(size_t count) const {
  if (last_output_ < static_cast<int>(count)) return;
  Fail(call_.name(), "SaveOutput: there is no output ", last_output_, "; there are ", count,
       ", counted from 0");
}

TensorList Apply(const CustomFunction& function, TensorList inputs) {
  if (function.name.empty()) Fail("custom", "a custom function needs a name, for errors");
  if (!function.forward || !function.vjp) {
    Fail(function.name.c_str(), "a custom function needs both a forward and a vjp; it has no ",
         function.forward ? "vjp" : "forward");
  }
  const auto definition = std::make_shared<Definition>();
  definition->function = function;
  definition->op = {
      .name = definition->function.name.c_str(), .forward = CustomForward, .vjp = CustomVjp};
  CustomAttributes attributes{definition, static_cast<int>(inputs.size())};
  return CallWithList(definition->op, std::move(attributes), std::move(inputs));
}

}  // namespace lemma
