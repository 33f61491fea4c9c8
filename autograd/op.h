// How an op is written: its record, and what its rules see.
//
// An op is a plain record of functions. A family of ops is one file pair that holds the public
// functions, the shape rule, the forward and the vjp of each, in this order; the table of all ops
// (autograd/ops/registry.h) lists the records.
//
//   Tensor Exp(Tensor x) { return Call(kExp, {}, std::move(x)); }
//
//   void ExpShape(OpCall& call) { call.AddOutput(call.in(0).shape(), call.in(0).dtype()); }
//   void ExpForward(OpCall& call) {
//     Tensor& y = call.OutputOver(0, /*input=*/0);     // overwrites x where nobody else has it
//     ... write y ...
//     call.SaveOutput(0);
//   }
//   // y = exp(x), dx = dy y
//   void ExpVjp(const VjpCall& call, GradSink& grads) {
//     grads.Add(0, call.dout(0) * call.out(0));
//   }
//   const OpDef kExp = {.name = "exp", .shape = ExpShape, .forward = ExpForward, .vjp = ExpVjp};
#ifndef LEMMA_AUTOGRAD_OP_H_
#define LEMMA_AUTOGRAD_OP_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "autograd/attributes.h"
#include "autograd/dtype.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"

namespace lemma {

class GradSink;
class OpCall;
class Node;
class VjpCall;

// The record of an op. An op is constant (neither vjp nor composite: no gradient flows through
// it), or has a vjp in public ops, or has kernels for both ways and a composite.
struct OpDef {
  const char* name;
  // Checks the arguments (throws Error) and declares every output with AddOutput. Null for ops
  // whose outputs only the forward knows.
  void (*shape)(OpCall&) = nullptr;
  // Computes the outputs. Whatever the vjp will read is saved here.
  void (*forward)(OpCall&) = nullptr;
  // Adds the gradient of each input that needs one, given those of the outputs. Of an op without a
  // composite it is written with public ops alone, so that it can be differentiated itself.
  void (*vjp)(const VjpCall&, GradSink&) = nullptr;
  // A fused op's definition: the same outputs in plain ops, a pure function of inputs and
  // attributes. It is what is differentiated when gradients are recorded.
  TensorList (*composite)(const TensorList& inputs, const Attributes& attributes) = nullptr;
  // Cheap to compute again from saved inputs: its output is saved as a recipe, not as values.
  bool cheap = false;
  // A smaller form in which other ops save its output, and the same values back from it, both
  // without history; undefined for an output that has none, null for an op that has none.
  Tensor (*pack)(const Tensor& output) = nullptr;
  Tensor (*unpack)(const Tensor& packed) = nullptr;
};

struct TensorSpec {
  Shape shape;
  DType dtype = DType::kFloat32;
};

// One call of an op, as its shape rule and its forward see it.
class OpCall {
 public:
  OpCall(const OpDef& op, const Attributes* attributes, TensorList&& inputs);
  ~OpCall();
  OpCall(const OpCall&) = delete;
  OpCall& operator=(const OpCall&) = delete;

  const char* name() const { return op_.name; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  // May be undefined where the argument is optional.
  const Tensor& in(int i) const { return inputs_[i]; }
  // Input i in row-major order: itself or a copy, undefined where it is. It adds no owner, so
  // OutputOver may still take it.
  const Tensor& dense(int i);
  template <typename T>
  const T& attributes() const {
    return attributes_->As<T>();
  }

  // For the shape rule.
  void AddOutput(Shape shape, DType dtype) { specs_.push_back({std::move(shape), dtype}); }
  const TensorSpec& spec(int output) const { return specs_[output]; }
  int num_outputs() const { return static_cast<int>(specs_.size()); }

  // For the forward: output i, allocated as declared at the first call.
  Tensor& out(int i);
  // Output i in the memory of input `input` where the caller gave up that input, nothing will read
  // it again, and dtype and number of elements fit; else allocated. Save inputs before.
  Tensor& OutputOver(int i, int input);
  // Output i is this tensor, such as a view of an input.
  void SetOutput(int i, Tensor value);

  // Whether the call is being recorded, and whether input i will get a gradient.
  bool recording() const { return static_cast<bool>(node_); }
  bool NeedsGrad(int i) const;
  // Keep for the vjp, where it is recorded: input i, output i, or a tensor made by the forward.
  void SaveInput(int i);
  void SaveOutput(int i);
  void Save(Tensor extra);

 private:
  friend TensorList CallWithList(const OpDef&, Attributes&&, TensorList&&);
  friend Tensor CallAgain(const Node& node, int output);
  void Run();
  void Record();

  const OpDef& op_;
  const Attributes* attributes_;
  TensorList inputs_;
  TensorList copies_;  // of inputs that are not dense, made on demand
  absl::InlinedVector<TensorSpec, 1> specs_;
  TensorList outputs_;
  Ref<Node> node_;                             // null when nothing is recorded
  absl::InlinedVector<int, 1> saved_outputs_;  // outputs to save once the call is recorded
};

// Runs an op: shape rule, forward, and the record of both where a gradient is needed.
TensorList CallWithList(const OpDef& op, Attributes&& attributes, TensorList&& inputs);

// The same for an op with one output. Moving an argument in gives it up.
template <typename... Inputs>
Tensor Call(const OpDef& op, Attributes&& attributes, Inputs&&... inputs) {
  TensorList list;
  (list.push_back(std::forward<Inputs>(inputs)), ...);
  return std::move(CallWithList(op, std::move(attributes), std::move(list))[0]);
}

// Output `output` of a recorded call, computed again from the inputs that it saved.
Tensor CallAgain(const Node& node, int output);

// PyTorch's detect_anomaly: while alive, every op and every step of a backward walk on this thread
// checks its results, and the first value that is not finite throws an Error with the op and the
// index. In a walk it is the op whose gradient it is that is named, not those that its vjp calls.
class AnomalyDetection {
 public:
  explicit AnomalyDetection(bool on = true);
  ~AnomalyDetection();
  AnomalyDetection(const AnomalyDetection&) = delete;
  AnomalyDetection& operator=(const AnomalyDetection&) = delete;

  static bool IsOn();
  // Throws if `value`, the `what` of op `op` ("output", "gradient of input 0"), is not finite.
  static void Check(const char* op, const std::string& what, const Tensor& value);

 private:
  bool before_;
};

// One step of a backward walk, as an op's vjp sees it.
class VjpCall {
 public:
  VjpCall(const Node& node, TensorList& douts, bool recording)
      : node_(node), douts_(douts), recording_(recording) {}

  // Gradient of output i; undefined where nothing depends on it (an op with one output always
  // has a gradient when its vjp is called).
  const Tensor& dout(int i) const {
    if (static_cast<size_t>(i) >= douts_.size()) [[unlikely]]
      FailNoOutput(i);
    return douts_[i];
  }
  // The same, given up: what it is moved into may overwrite it.
  Tensor TakeDout(int i) const { return std::move(douts_[i]); }
  // What the forward saved. Throws Error if it did not, or if it was changed in place since.
  Tensor in(int i) const;
  Tensor out(int i) const;
  Tensor extra(int i) const;
  template <typename T>
  const T& attributes() const {
    return node_attributes().As<T>();
  }
  // Shape and dtype of an input that needs a gradient, of any output.
  const TensorSpec& in_spec(int i) const;
  const TensorSpec& out_spec(int i) const;
  // Whether the walk records itself (create_graph).
  bool recording() const { return recording_; }

 private:
  const Attributes& node_attributes() const;
  [[noreturn]] void FailNoOutput(int i) const;

  const Node& node_;
  TensorList& douts_;
  bool recording_;
};

// Where a vjp puts the gradients of its op's inputs. It alone undoes broadcasting, checks dtypes
// and shapes, and sums the contributions of several readers.
class GradSink {
 public:
  virtual ~GradSink() = default;

  // Whether the gradient of input i is wanted. Adding one that isn't wanted does nothing.
  virtual bool Needs(int i) const = 0;
  // din(i) += grad, summed over dimensions along which input i was broadcast.
  virtual void Add(int i, Tensor grad) = 0;
  // din(i) += op(a) op(b) for matrices, without a temporary: op transposes where asked to. The
  // product has the input's number of elements; `a` and `b` have rank 2.
  virtual void AddProduct(int i, const Tensor& a, bool transpose_a, const Tensor& b,
                          bool transpose_b) = 0;
  // din(i)[..., start : start + n * step : step, ...] += grad along `dim`, n = grad.size(dim).
  virtual void AddSlice(int i, int dim, int64_t start, int64_t step, const Tensor& grad) = 0;
  // din(i)[index[j]] += grad[j] for rows along dimension 0; index (N) is int64.
  virtual void AddRows(int i, const Tensor& index, const Tensor& grad) = 0;
};

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OP_H_
