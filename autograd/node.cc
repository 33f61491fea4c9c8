#include "autograd/node.h"

#include <atomic>
#include <utility>
#include <vector>

#include "autograd/free_list.h"

namespace lemma {
namespace {

std::atomic<uint64_t> next_sequence{1};
thread_local SavedValues* current_values = nullptr;

}  // namespace

SavedValues* SavedValues::Current() { return current_values; }
SavedValues::Scope::Scope(SavedValues* current) : before_(std::exchange(current_values, current)) {}
SavedValues::Scope::~Scope() { current_values = before_; }

SavedTensor SavedTensor::Of(const Tensor& value) {
  SavedTensor saved;
  if (!value.defined()) return saved;
  const Edge* edge = value.edge();
  const OpDef* op = edge == nullptr || edge->node->is_leaf() ? nullptr : &edge->node->op();
  if (SavedValues* values = current_values) {
    saved.kind_ = Kind::kSlot;
    saved.values_ = Ref<SavedValues>(values);
    saved.slot_ = values->Record(value);
    if (edge != nullptr) saved.edge_ = *edge;
  } else if (op != nullptr && op->cheap && edge->node->has_all_inputs()) {
    saved.kind_ = Kind::kRecipe;
    saved.edge_ = *edge;
    return saved;
  } else if (op != nullptr && op->pack != nullptr && (saved.value_ = op->pack(value)).defined()) {
    saved.kind_ = Kind::kPacked;
    saved.edge_ = *edge;
    return saved;
  } else {
    saved.kind_ = Kind::kTensor;
    saved.value_ = value;
    saved.version_ = value.storage()->version();
  }
  // What is kept as it is needs no other form beside it. Of a parameter products do.
  if (op != nullptr) value.storage()->SetDerived(Ref<Storage>(), 0);
  return saved;
}

SavedTensor SavedTensor::OfOwnOutput(const Tensor& value, int output) {
  SavedTensor saved = Of(value.Detach());
  saved.own_output_ = output;
  return saved;
}

SavedTensor::~SavedTensor() {
  if (kind_ == Kind::kSlot && values_) values_->Release(slot_);
}

void SavedTensor::CheckVersion(const char* op) const {
  const uint32_t version = value_.storage()->version();
  if (version != version_) {
    Fail(op, "a tensor ", value_.shape().ToString(),
         " that was saved for the gradient has been changed in place since: it was at version ",
         version_, " and is at version ", version,
         "; change it after Backward, or save a Clone() of it");
  }
}

Tensor SavedTensor::Unpack(const char* op, const Node* owner) const {
  if (kind_ == Kind::kNone) return Tensor();
  Tensor value;
  if (kind_ == Kind::kTensor) {
    CheckVersion(op);
    value = value_;
  } else if (kind_ == Kind::kRecipe) {
    value = CallAgain(*edge_.node, edge_.output);
  } else if (kind_ == Kind::kPacked) {
    value = edge_.node->op().unpack(value_);
  } else {
    value = values_->Value(slot_);
  }
  if (!IsGradEnabled()) return value;
  if (own_output_ >= 0) {
    value = Tensor::View(value.storage(), value.dtype(), value.shape(), value.strides(),
                         value.offset());
    value.SetEdge({Ref<Node>(const_cast<Node*>(owner)), own_output_});
  } else if (kind_ != Kind::kTensor && edge_.node) {
    value = Tensor::View(value.storage(), value.dtype(), value.shape(), value.strides(),
                         value.offset());
    value.SetEdge(edge_);
  }
  return value;
}

Ref<Node> Node::ForOp(const OpDef& op, Attributes attributes, int num_inputs) {
  Ref<Node> node(new (FreeList<sizeof(Node)>::Take()) Node);
  node->op_ = &op;
  node->attributes_ = std::move(attributes);
  node->sequence_ = next_sequence.fetch_add(1, std::memory_order_relaxed);
  node->edges_.resize(num_inputs);
  return node;
}

int64_t Node::CallsRecorded() {
  return static_cast<int64_t>(next_sequence.load(std::memory_order_relaxed)) - 1;
}

Ref<Node> Node::ForLeaf(const Shape& shape, DType dtype) {
  Ref<Node> node(new (FreeList<sizeof(Node)>::Take()) Node);
  node->AddOutput({shape, dtype});
  return node;
}

void Node::SaveInput(int i, SavedTensor value) {
  if (saved_inputs_.empty()) saved_inputs_.resize(edges_.size());
  saved_inputs_[i] = std::move(value);
}

void Node::SaveOutput(int i, SavedTensor value) {
  if (saved_outputs_.empty()) saved_outputs_.resize(outputs_.size());
  saved_outputs_[i] = std::move(value);
}

namespace {

template <typename List>
Tensor UnpackAt(const Node& node, const List& saved, int i, const char* what) {
  if (node.released()) node.FailReleased();
  if (static_cast<size_t>(i) >= saved.size()) {
    Fail(node.name(), "its vjp reads ", what, " ", i,
         ", which its forward did not save; save it there");
  }
  return saved[i].Unpack(node.name(), &node);
}

}  // namespace

Tensor Node::Input(int i) const { return UnpackAt(*this, saved_inputs_, i, "input"); }
Tensor Node::Output(int i) const { return UnpackAt(*this, saved_outputs_, i, "output"); }
Tensor Node::Extra(int i) const { return UnpackAt(*this, extras_, i, "extra tensor"); }

void Node::FailReleased() const {
  Fail(name(),
       "what it saved for the gradient was freed by an earlier walk over this graph; pass "
       "{.retain_graph = true} to the walk before this one");
}

void Node::ReleaseSaved() {
  released_ = !saved_inputs_.empty() || !saved_outputs_.empty() || !extras_.empty();
  saved_inputs_.clear();
  saved_outputs_.clear();
  extras_.clear();
}

void Node::Destroy(Node* node) {
  // Deleting a node lets go of others; they queue up here, so that a long chain is freed in a
  // loop and not by a recursion as deep as the chain. Plain pointers, so that tensors in static
  // variables may go after the thread's other variables.
  static thread_local Node* dead = nullptr;
  static thread_local bool draining = false;
  node->next_dead_ = std::exchange(dead, node);
  if (draining) return;
  draining = true;
  while (dead != nullptr) {
    Node* next = std::exchange(dead, dead->next_dead_);
    next->~Node();
    FreeList<sizeof(Node)>::Give(next);
  }
  draining = false;
}

}  // namespace lemma
