#include "autograd/custom.h"

#include <memory>
#include <utility>

namespace lemma {
namespace {

struct CustomAttributes {
  std::shared_ptr<const CustomFunction> function;
  int num_inputs;
};

void CustomForward(OpCall& call) {
  TensorList inputs;
  for (int i = 0; i < call.num_inputs(); ++i) inputs.push_back(call.in(i));
  ForwardContext context(call);
  const TensorList outputs = call.attributes<CustomAttributes>().function->forward(context, inputs);
  for (size_t i = 0; i < outputs.size(); ++i) call.SetOutput(static_cast<int>(i), outputs[i]);
}

void CustomVjp(const VjpCall& call, GradSink& grads) {
  const auto& attributes = call.attributes<CustomAttributes>();
  const CustomFunction& function = *attributes.function;
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

const OpDef kCustom = {.name = "custom", .forward = CustomForward, .vjp = CustomVjp};

}  // namespace

TensorList Apply(const CustomFunction& function, TensorList inputs) {
  CustomAttributes attributes{std::make_shared<const CustomFunction>(function),
                              static_cast<int>(inputs.size())};
  return CallWithList(kCustom, std::move(attributes), std::move(inputs));
}

}  // namespace lemma
