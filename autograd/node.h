// The graph: one node for each recorded call and each leaf, and the values that they keep.
#ifndef LEMMA_AUTOGRAD_NODE_H_
#define LEMMA_AUTOGRAD_NODE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "autograd/attributes.h"
#include "autograd/op.h"
#include "autograd/ref.h"
#include "autograd/tensor.h"

namespace lemma {

// Values that are kept elsewhere and come back when a backward walk asks for them: what Recompute
// puts in the place of saved tensors.
class SavedValues : public RefCounted<SavedValues> {
 public:
  virtual ~SavedValues() = default;
  // Takes note of a value that is being saved, in order, and returns its slot.
  virtual int Record(const Tensor& value) = 0;
  // The value of a slot again, without history.
  virtual Tensor Value(int slot) = 0;
  // The walk is done with a slot.
  virtual void Release(int slot) = 0;

  // The recorder that takes the values saved on this thread now; null where they are kept as is.
  static SavedValues* Current();
  class Scope {
   public:
    explicit Scope(SavedValues* current);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    SavedValues* before_;
  };
};

// A value kept for a vjp, the only door to it: a tensor with the version it had, the recipe to
// compute it again, what its op packed it into, or a slot that Recompute refills.
class SavedTensor {
 public:
  SavedTensor() = default;
  // A tensor with its own history.
  static SavedTensor Of(const Tensor& value);
  // An output of the saving node itself: kept without its edge, which would be a cycle.
  static SavedTensor OfOwnOutput(const Tensor& value, int output);
  SavedTensor(SavedTensor&&) = default;
  SavedTensor& operator=(SavedTensor&&) = default;
  ~SavedTensor();

  bool defined() const { return kind_ != Kind::kNone; }
  // The tensor again, with its history. Throws Error in the name of `op` where a tensor that is
  // held as it is has been changed in place since. `owner` is the node that saved it, if it was
  // one.
  Tensor Unpack(const char* op, const Node* owner) const;

 private:
  enum class Kind : uint8_t { kNone, kTensor, kRecipe, kPacked, kSlot };
  void CheckVersion(const char* op) const;

  Kind kind_ = Kind::kNone;
  int own_output_ = -1;
  int slot_ = 0;
  uint32_t version_ = 0;
  Tensor value_;             // kTensor; kPacked: its packed form
  Edge edge_;                // kRecipe, kPacked: what computed it; kSlot: its history
  Ref<SavedValues> values_;  // kSlot
};

class Node : public RefCounted<Node> {
 public:
  // A call of `op`.
  static Ref<Node> ForOp(const OpDef& op, Attributes attributes, int num_inputs);
  // A tensor that the user made. A leaf is its own node: it holds the gradient, so a graph never
  // keeps a tensor alive for its gradient's sake.
  static Ref<Node> ForLeaf(const Shape& shape, DType dtype);

  bool is_leaf() const { return op_ == nullptr; }
  const OpDef& op() const { return *op_; }
  const char* name() const { return is_leaf() ? "leaf" : op_->name; }
  const Attributes& attributes() const { return attributes_; }
  // Later calls have larger numbers; a leaf has 0.
  uint64_t sequence() const { return sequence_; }
  // How many calls have been recorded since the program began.
  static int64_t CallsRecorded();

  const Edge& edge(int input) const { return edges_[input]; }
  int num_inputs() const { return static_cast<int>(edges_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const TensorSpec& output(int i) const { return outputs_[i]; }

  void SetEdge(int input, Edge edge) { edges_[input] = std::move(edge); }
  void AddOutput(TensorSpec spec) { outputs_.push_back(std::move(spec)); }

  void SaveInput(int i, SavedTensor value);
  void SaveOutput(int i, SavedTensor value);
  void SaveExtra(SavedTensor value) { extras_.push_back(std::move(value)); }
  bool SavesInput(int i) const { return !saved_inputs_.empty() && saved_inputs_[i].defined(); }
  Tensor Input(int i) const;
  Tensor Output(int i) const;
  Tensor Extra(int i) const;
  // Whether every defined input is saved, so that the call can be made again.
  bool has_all_inputs() const { return has_all_inputs_; }
  void set_has_all_inputs(bool value) { has_all_inputs_ = value; }
  // Frees what is saved, after the node's last walk.
  void ReleaseSaved();
  bool released() const { return released_; }
  // Throws the Error of a walk over a graph whose saved values are gone.
  [[noreturn]] void FailReleased() const;

  // The gradient of a leaf.
  Tensor& grad() { return grad_; }

  struct Hook {
    int output;
    GradHook fn;
  };
  void AddHook(int output, GradHook fn) { hooks_.push_back({output, std::move(fn)}); }
  const std::vector<Hook>& hooks() const { return hooks_; }

  // Frees the node and, without recursion, whatever it alone kept alive.
  static void Destroy(Node* node);

 private:
  Node() = default;
  ~Node() = default;

  const OpDef* op_ = nullptr;
  uint64_t sequence_ = 0;
  bool released_ = false;
  bool has_all_inputs_ = false;
  absl::InlinedVector<Edge, 3> edges_;
  absl::InlinedVector<TensorSpec, 1> outputs_;
  absl::InlinedVector<SavedTensor, 3> saved_inputs_;
  absl::InlinedVector<SavedTensor, 1> saved_outputs_;
  absl::InlinedVector<SavedTensor, 1> extras_;
  Attributes attributes_;
  Tensor grad_;  // of a leaf
  std::vector<Hook> hooks_;
  Node* next_dead_ = nullptr;  // of the nodes that wait to be freed
};

namespace internal {

// Set while a vjp runs whose ops are recorded: reading a recorded tensor's raw data is an error
// there, except inside an op's forward.
class RecordingVjpScope {
 public:
  explicit RecordingVjpScope(bool recording);
  ~RecordingVjpScope();
  RecordingVjpScope(const RecordingVjpScope&) = delete;
  RecordingVjpScope& operator=(const RecordingVjpScope&) = delete;

 private:
  bool before_;
};

}  // namespace internal
}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_NODE_H_
