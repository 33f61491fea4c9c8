#include "autograd/backward.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "autograd/create.h"
#include "autograd/gradient_slot.h"
#include "autograd/node.h"
#include "autograd/op.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"

namespace lemma {
namespace {

// A node that has received a gradient and waits for its turn.
struct Pending {
  Ref<Node> node;
  TensorList grads;  // one for each output of the node; undefined: zero so far
};

// What a Grad call is after: the gradients of some edges, and the nodes that lead to them.
class Targets {
 public:
  Targets(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs);

  bool Leads(const Node* node) const { return leading_.contains(node); }
  bool IsTarget(const Node* node) const { return nodes_.contains(node); }

 private:
  absl::flat_hash_set<const Node*> nodes_;    // nodes of the inputs
  absl::flat_hash_set<const Node*> leading_;  // nodes from which an input can be reached
};

Targets::Targets(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs) {
  uint64_t earliest = UINT64_MAX;
  for (const Tensor& input : inputs) {
    nodes_.insert(input.edge()->node.get());
    earliest = std::min(earliest, input.edge()->node->sequence());
  }
  std::vector<const Node*> reachable, stack;
  absl::flat_hash_set<const Node*> seen;
  auto visit = [&](const Node* node) {
    if (node->sequence() >= earliest && seen.insert(node).second) stack.push_back(node);
  };
  for (const Tensor& output : outputs) visit(output.edge()->node.get());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    reachable.push_back(node);
    for (int i = 0; i < node->num_inputs(); ++i) {
      if (node->edge(i).node) visit(node->edge(i).node.get());
    }
  }
  std::sort(reachable.begin(), reachable.end(),
            [](const Node* a, const Node* b) { return a->sequence() < b->sequence(); });
  for (const Node* node : reachable) {
    bool leads = nodes_.contains(node);
    for (int i = 0; i < node->num_inputs() && !leads; ++i) {
      leads = leading_.contains(node->edge(i).node.get());
    }
    if (leads) leading_.insert(node);
  }
}

// Whether what a walk computes is recorded, hooks included.
class WalkMode {
 public:
  explicit WalkMode(bool record) {
    if (record) {
      enable_grad_.emplace();
    } else {
      no_grad_.emplace();
    }
  }

 private:
  std::optional<EnableGrad> enable_grad_;
  std::optional<NoGrad> no_grad_;
};

// One walk over the graph: with targets for Grad, without for Backward.
class Walk {
 public:
  Walk(const GradOptions& options, const Targets* targets)
      : create_graph_(options.create_graph),
        retain_graph_(options.retain_graph || options.create_graph),
        targets_(targets),
        mode_(options.create_graph) {}

  // Adds to the gradient that flows through an edge.
  void Add(const Edge& edge, Tensor grad);
  void Run();

  // The gradient of a target, once the walk has run; undefined where nothing depends on it.
  Tensor Captured(const Edge& edge) const {
    auto it = captured_.find(edge.node.get());
    return it == captured_.end() ? Tensor() : it->second[edge.output];
  }

 private:
  class Sink;

  bool Wants(const Node* node) const { return targets_ == nullptr || targets_->Leads(node); }
  bool Descends(const Node& node) const;
  Tensor& Slot(const Edge& edge);
  bool IsDirect(const Node& leaf) const {
    return targets_ == nullptr && leaf.is_leaf() && !create_graph_ && leaf.hooks().empty();
  }
  void RunHooks(Pending& pending) const;
  void FinishLeaf(Node& leaf, Tensor grad) const;
  void Step(Pending& pending);
  void StepThroughComposite(const Pending& pending, GradSink& sink) const;

  const bool create_graph_;
  const bool retain_graph_;
  const Targets* targets_;
  const WalkMode mode_;
  absl::flat_hash_map<Node*, Pending> pending_;
  std::priority_queue<std::pair<uint64_t, Node*>> latest_;
  absl::flat_hash_map<const Node*, TensorList> captured_;
};

// Where the walk receives the gradients of one node's inputs.
class Walk::Sink : public GradSink {
 public:
  Sink(Walk& walk, const Node& node)
      : walk_(walk), node_(node), checks_(AnomalyDetection::IsOn()) {}

  bool Needs(int i) const override {
    return node_.edge(i).node && walk_.Wants(node_.edge(i).node.get());
  }

  void Add(int i, Tensor grad) override {
    if (!Needs(i)) return;
    const TensorSpec& spec = Spec(i);
    if (!grad.defined()) return;
    if (grad.dtype() != spec.dtype || !BroadcastsTo(spec.shape, grad.shape())) {
      Fail(node_.name(), "its vjp gives input ", i, " a gradient that is ", Name(grad.dtype()), " ",
           grad.shape().ToString(), "; the input is ", Name(spec.dtype), " ",
           spec.shape.ToString());
    }
    if (grad.shape() != spec.shape) grad = SumTo(std::move(grad), spec.shape);
    Check(i, grad);
    walk_.Add(node_.edge(i), std::move(grad));
  }

  void AddProduct(int i, const Tensor& a, bool transpose_a, const Tensor& b,
                  bool transpose_b) override {
    if (!Needs(i)) return;
    Tensor& slot = walk_.Slot(node_.edge(i));
    AccumulateProduct(slot, Spec(i), a, transpose_a, b, transpose_b);
    Check(i, slot);
  }

  void AddSlice(int i, int dim, int64_t start, int64_t step, const Tensor& grad) override {
    if (!Needs(i)) return;
    Check(i, grad);
    AccumulateSlice(walk_.Slot(node_.edge(i)), Spec(i), dim, start, step, grad);
  }

  void AddRows(int i, const Tensor& index, const Tensor& grad) override {
    if (!Needs(i)) return;
    Check(i, grad);
    AccumulateRows(walk_.Slot(node_.edge(i)), Spec(i), index, grad);
  }

 private:
  const TensorSpec& Spec(int i) const {
    const Edge& edge = node_.edge(i);
    return edge.node->output(edge.output);
  }
  void Check(int i, const Tensor& grad) const {
    if (checks_) {
      AnomalyDetection::Check(node_.name(), absl::StrCat("gradient of input ", i), grad);
    }
  }

  Walk& walk_;
  const Node& node_;
  const bool checks_;
};

// The gradient that contributions to `edge` are added to. The reference holds until the next call.
Tensor& Walk::Slot(const Edge& edge) {
  if (IsDirect(*edge.node)) return edge.node->grad();
  Pending& pending = pending_[edge.node.get()];
  if (!pending.node) {
    pending.node = edge.node;
    pending.grads.resize(edge.node->num_outputs());
    latest_.emplace(edge.node->sequence(), edge.node.get());
  }
  return pending.grads[edge.output];
}

// What a leaf keeps is its own: nobody else sees it change when more is added.
Tensor Owned(Tensor grad) {
  return grad.IsSoleOwner() && grad.IsContiguous() ? std::move(grad) : Clone(grad);
}

void Walk::Add(const Edge& edge, Tensor grad) {
  Tensor& slot = Slot(edge);
  if (!slot.defined() && IsDirect(*edge.node)) grad = Owned(std::move(grad));
  Accumulate(slot, std::move(grad));
}

bool Walk::Descends(const Node& node) const {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.edge(i).node && Wants(node.edge(i).node.get())) return true;
  }
  return false;
}

void Walk::RunHooks(Pending& pending) const {
  for (const Node::Hook& hook : pending.node->hooks()) {
    Tensor& grad = pending.grads[hook.output];
    if (!grad.defined()) continue;
    Tensor replacement = hook.fn(grad);
    if (!replacement.defined()) continue;
    if (replacement.shape() != grad.shape() || replacement.dtype() != grad.dtype()) {
      Fail("hook", "a hook replaces a gradient by one of the same shape and dtype; it was given ",
           Name(grad.dtype()), " ", grad.shape().ToString(), " and returned ",
           Name(replacement.dtype()), " ", replacement.shape().ToString());
    }
    grad = std::move(replacement);
  }
}

void Walk::FinishLeaf(Node& leaf, Tensor grad) const {
  if (targets_ != nullptr || !grad.defined()) return;
  if (!leaf.grad().defined()) {
    leaf.grad() = Owned(std::move(grad));
  } else {
    Accumulate(leaf.grad(), std::move(grad));
  }
}

// Under create_graph a fused op is differentiated through its definition: the composite is called
// on aliases of the saved inputs, so that the gradients stop there and stay part of the graph.
void Walk::StepThroughComposite(const Pending& pending, GradSink& sink) const {
  const Node& node = *pending.node;
  TensorList inputs(node.num_inputs());
  std::vector<Tensor> wanted;
  std::vector<int> wanted_inputs;
  for (int i = 0; i < node.num_inputs(); ++i) {
    inputs[i] = node.Input(i);
    if (!sink.Needs(i)) continue;
    inputs[i] = Alias(inputs[i]);
    wanted.push_back(inputs[i]);
    wanted_inputs.push_back(i);
  }
  const TensorList outputs = node.op().composite(inputs, node.attributes());
  std::vector<Tensor> reached;
  GradOptions options{.create_graph = true, .allow_unused = true};
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!pending.grads[i].defined() || outputs[i].edge() == nullptr) continue;
    reached.push_back(outputs[i]);
    options.grad_outputs.push_back(pending.grads[i]);
  }
  if (reached.empty()) return;
  const std::vector<Tensor> grads = Grad(reached, wanted, options);
  for (size_t i = 0; i < grads.size(); ++i) sink.Add(wanted_inputs[i], grads[i]);
}

void Walk::Step(Pending& pending) {
  Node& node = *pending.node;
  if (node.released()) node.FailReleased();
  Sink sink(*this, node);
  const VjpCall call(node, pending.grads, create_graph_);
  const AnomalyDetection off(false);  // the sink checks
  if (create_graph_ && node.op().composite != nullptr) {
    StepThroughComposite(pending, sink);
  } else {
    internal::RecordingVjpScope scope(create_graph_);
    node.op().vjp(call, sink);
  }
  if (!retain_graph_) node.ReleaseSaved();
}

void Walk::Run() {
  while (!latest_.empty()) {
    Node* node = latest_.top().second;
    latest_.pop();
    auto it = pending_.find(node);
    Pending pending = std::move(it->second);
    pending_.erase(it);
    RunHooks(pending);
    if (targets_ != nullptr && targets_->IsTarget(node)) captured_[node] = pending.grads;
    if (node->is_leaf()) {
      FinishLeaf(*node, std::move(pending.grads[0]));
    } else if (targets_ == nullptr || Descends(*node)) {
      Step(pending);
    }
  }
}

// The gradient that a walk starts with at an output.
Tensor SeedFor(const char* op, const Tensor& output, const GradOptions& options, size_t i) {
  if (!output.defined()) Fail(op, "output ", i, ": the tensor is undefined; give it a value first");
  if (output.edge() == nullptr) {
    Fail(op, "output ", i, " has no history: none of the tensors that it was computed from ",
         "requires a gradient, or it was computed under NoGrad, or by a walk without create_graph");
  }
  if (i < options.grad_outputs.size() && options.grad_outputs[i].defined()) {
    const Tensor& grad = options.grad_outputs[i];
    if (grad.shape() != output.shape() || grad.dtype() != output.dtype()) {
      Fail(op, "grad_outputs[", i, "]: it must be ", Name(output.dtype()), " ",
           output.shape().ToString(), " as the output; it is ", Name(grad.dtype()), " ",
           grad.shape().ToString());
    }
    return grad;
  }
  if (output.numel() != 1) {
    Fail(op, "output ", i,
         ": without a gradient of its own an output must be a scalar; its shape is ",
         output.shape().ToString(), "; pass grad_outputs, or Sum it");
  }
  return OnesLike(output);
}

void SeedAll(const char* op, Walk& walk, const std::vector<Tensor>& outputs,
             const GradOptions& options) {
  if (options.grad_outputs.size() > outputs.size()) {
    Fail(op, "grad_outputs: there are ", options.grad_outputs.size(), " for ", outputs.size(),
         " outputs");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    walk.Add(*outputs[i].edge(), SeedFor(op, outputs[i], options, i));
  }
}

}  // namespace

std::vector<Tensor> Grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const GradOptions& options) {
  for (size_t i = 0; i < outputs.size(); ++i) SeedFor("grad", outputs[i], options, i);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].edge() == nullptr) {
      Fail("grad", "inputs[", i, "]: it does not require a gradient; call SetRequiresGrad(true) ",
           "before it is used");
    }
  }
  const Targets targets(outputs, inputs);
  Walk walk(options, &targets);
  SeedAll("grad", walk, outputs, options);
  walk.Run();
  std::vector<Tensor> grads;
  for (size_t i = 0; i < inputs.size(); ++i) {
    grads.push_back(walk.Captured(*inputs[i].edge()));
    if (!grads.back().defined() && !options.allow_unused) {
      Fail("grad", "inputs[", i, "]: the outputs do not depend on it; pass {.allow_unused = true} ",
           "to get an undefined tensor instead");
    }
  }
  return grads;
}

void Backward(const std::vector<Tensor>& outputs, const GradOptions& options) {
  Walk walk(options, nullptr);
  SeedAll("backward", walk, outputs, options);
  walk.Run();
}

void Backward(const Tensor& output, const GradOptions& options) {
  Backward(std::vector<Tensor>{output}, options);
}

}  // namespace lemma
