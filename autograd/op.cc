#include "autograd/op.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/node.h"

namespace lemma {
namespace {

thread_local bool anomaly_detection = false;

bool AnyEdge(const TensorList& inputs) {
  for (const Tensor& input : inputs) {
    if (input.edge() != nullptr) return true;
  }
  return false;
}

// The index of element `flat` in row-major order: "(1, 0, 7)".
std::string IndexOf(const Shape& shape, int64_t flat) {
  Shape index = shape;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    index[i] = flat % shape[i];
    flat /= shape[i];
  }
  return index.ToString();
}

}  // namespace

AnomalyDetection::AnomalyDetection(bool on) : before_(std::exchange(anomaly_detection, on)) {}
AnomalyDetection::~AnomalyDetection() { anomaly_detection = before_; }
bool AnomalyDetection::IsOn() { return anomaly_detection; }

void AnomalyDetection::Check(const char* op, const std::string& what, const Tensor& value) {
  if (!value.defined() || !IsFloat(value.dtype())) return;
  const Tensor dense = value.DetachedContiguous();
  VisitFloat(dense.dtype(), [&]<typename T>() {
    const T* values = dense.data<T>();
    for (int64_t i = 0; i < dense.numel(); ++i) {
      const double element = static_cast<double>(values[i]);
      if (!std::isfinite(element)) {
        Fail(op, "anomaly: the ", what, " is ", element, " at ", IndexOf(dense.shape(), i),
             ", the first value that is not finite");
      }
    }
  });
}

OpCall::OpCall(const OpDef& op, const Attributes* attributes, TensorList&& inputs)
    : op_(op), attributes_(attributes), inputs_(std::move(inputs)) {}

OpCall::~OpCall() = default;

const Tensor& OpCall::dense(int i) {
  if (!inputs_[i].defined() || inputs_[i].IsContiguous()) return inputs_[i];
  copies_.resize(inputs_.size());
  if (!copies_[i].defined()) copies_[i] = inputs_[i].DetachedContiguous();
  return copies_[i];
}

Tensor& OpCall::out(int i) {
  if (outputs_.empty()) outputs_.resize(specs_.size());
  if (!outputs_[i].defined()) outputs_[i] = Tensor::Empty(specs_[i].shape, specs_[i].dtype);
  return outputs_[i];
}

Tensor& OpCall::OutputOver(int i, int input) {
  const Tensor& x = inputs_[input];
  // What is saved as it is has another owner.
  if (!x.IsSoleOwner() || !x.IsContiguous() || x.dtype() != specs_[i].dtype ||
      x.numel() != specs_[i].shape.numel()) {
    return out(i);
  }
  // A tensor without history may itself be the result.
  if (x.edge() == nullptr && x.shape() == specs_[i].shape) {
    SetOutput(i, x);
    return outputs_[i];
  }
  SetOutput(i, Tensor::View(x.storage(), x.dtype(), specs_[i].shape,
                            ContiguousStrides(specs_[i].shape), x.offset()));
  return outputs_[i];
}

void OpCall::SetOutput(int i, Tensor value) {
  if (specs_.empty() || static_cast<size_t>(i) >= specs_.size()) {
    LEMMA_CHECK(op_.shape == nullptr && static_cast<size_t>(i) == specs_.size(), op_.name,
                " has no output ", i);
    AddOutput(value.shape(), value.dtype());
  }
  outputs_.resize(specs_.size());
  outputs_[i] = std::move(value);
}

bool OpCall::NeedsGrad(int i) const { return recording() && inputs_[i].edge() != nullptr; }

void OpCall::SaveInput(int i) {
  if (!recording() || node_->SavesInput(i)) return;
  node_->SaveInput(i, SavedTensor::Of(inputs_[i]));
}

void OpCall::SaveOutput(int i) {
  if (recording()) saved_outputs_.push_back(i);
}

void OpCall::Save(Tensor extra) {
  if (recording()) node_->SaveExtra(SavedTensor::Of(extra));
}

// Runs the shape rule and the forward; nothing that they call is recorded.
void OpCall::Run() {
  NoGrad no_grad;
  const AnomalyDetection only_of_results(false);
  internal::RecordingVjpScope not_in_vjp(false);
  if (op_.shape != nullptr) op_.shape(*this);
  if (op_.composite != nullptr) {
    for (int i = 0; i < num_inputs(); ++i) SaveInput(i);
  }
  op_.forward(*this);
  for (size_t i = 0; i < specs_.size(); ++i) {
    const Tensor& y = out(static_cast<int>(i));
    LEMMA_CHECK(y.shape() == specs_[i].shape && y.dtype() == specs_[i].dtype, op_.name, ": output ",
                i, " is ", y.shape().ToString(), ", its shape rule says ",
                specs_[i].shape.ToString());
    // A forward may hand an input through; its history stays with the input.
    if (y.edge() != nullptr) outputs_[i] = y.Detach();
  }
}

// Makes the outputs results of the node.
void OpCall::Record() {
  bool has_all_inputs = true;
  for (int i = 0; i < num_inputs(); ++i) {
    if (const Edge* edge = inputs_[i].edge()) node_->SetEdge(i, *edge);
    has_all_inputs &= !inputs_[i].defined() || node_->SavesInput(i);
  }
  node_->set_has_all_inputs(has_all_inputs);
  for (size_t i = 0; i < outputs_.size(); ++i) node_->AddOutput(std::move(specs_[i]));
  for (int output : saved_outputs_) {
    node_->SaveOutput(output, SavedTensor::OfOwnOutput(outputs_[output], output));
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const int output = static_cast<int>(i);
    if (!IsFloat(outputs_[i].dtype())) continue;
    // An output that someone else holds too gets a handle of its own to carry the history.
    if (!outputs_[i].IsSoleHandle()) {
      const Tensor& y = outputs_[i];
      outputs_[i] = Tensor::View(y.storage(), y.dtype(), y.shape(), y.strides(), y.offset());
    }
    outputs_[i].SetEdge({node_, output});
  }
}

TensorList CallWithList(const OpDef& op, Attributes&& attributes, TensorList&& inputs) {
  const bool recording =
      IsGradEnabled() && (op.vjp != nullptr || op.composite != nullptr) && AnyEdge(inputs);
  OpCall call(op, &attributes, std::move(inputs));
  if (recording) {
    call.node_ = Node::ForOp(op, std::move(attributes), call.num_inputs());
    call.attributes_ = &call.node_->attributes();
  }
  call.Run();
  if (recording) call.Record();
  if (anomaly_detection) {
    for (const Tensor& y : call.outputs_) AnomalyDetection::Check(op.name, "output", y);
  }
  return std::move(call.outputs_);
}

Tensor CallAgain(const Node& node, int output) {
  TensorList inputs(node.num_inputs());
  {
    NoGrad no_grad;
    for (int i = 0; i < node.num_inputs(); ++i) inputs[i] = node.Input(i);
  }
  OpCall call(node.op(), &node.attributes(), std::move(inputs));
  call.Run();
  return std::move(call.outputs_[output]);
}

Tensor VjpCall::in(int i) const { return node_.Input(i); }
Tensor VjpCall::out(int i) const { return node_.Output(i); }
Tensor VjpCall::extra(int i) const { return node_.Extra(i); }
const Attributes& VjpCall::node_attributes() const { return node_.attributes(); }

void VjpCall::FailNoOutput(int i) const {
  Fail(node_.name(), "its vjp asks for output ", i, "; there are ", node_.num_outputs(),
       ", counted from 0");
}

const TensorSpec& VjpCall::out_spec(int i) const {
  if (i < 0 || i >= node_.num_outputs()) FailNoOutput(i);
  return node_.output(i);
}

const TensorSpec& VjpCall::in_spec(int i) const {
  if (i < 0 || i >= node_.num_inputs() || !node_.edge(i).node) {
    Fail(node_.name(), "its vjp asks for the shape of input ", i, " of ", node_.num_inputs(),
         ", counted from 0; it is kept only of an input that needs a gradient: save the input");
  }
  const Edge& edge = node_.edge(i);
  return edge.node->output(edge.output);
}

}  // namespace lemma
