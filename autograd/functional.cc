#include "autograd/functional.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"

namespace lemma {
namespace {

// A leaf with x's values that shares its memory and nothing else.
Tensor LeafOf(const Tensor& x) {
  Tensor leaf = Tensor::View(x.storage(), x.dtype(), x.shape(), x.strides(), x.offset());
  if (IsFloat(leaf.dtype())) leaf.SetRequiresGrad(true);
  return leaf;
}

std::vector<Tensor> LeavesOf(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> leaves;
  for (const Tensor& x : tensors) leaves.push_back(LeafOf(x));
  return leaves;
}

std::vector<Tensor> DetachAll(std::vector<Tensor> tensors) {
  for (Tensor& x : tensors) x = x.Detach();
  return tensors;
}

void CheckCount(const char* op, const char* what, size_t given, size_t expected) {
  if (given != expected) Fail(op, what, ": there are ", given, ", there must be ", expected);
}

// `given` goes with `of`: it has its shape and dtype.
void CheckLike(const char* op, const std::string& what, const Tensor& given, const char* of_name,
               const Tensor& of) {
  if (given.shape() == of.shape() && given.dtype() == of.dtype()) return;
  Fail(op, what, ": it must be ", Name(of.dtype()), " ", of.shape().ToString(), " as ", of_name,
       "; it is ", Name(given.dtype()), " ", given.shape().ToString());
}

void CheckAllLike(const char* op, const char* what, const std::vector<Tensor>& given,
                  const char* of_name, const std::vector<Tensor>& of) {
  CheckCount(op, what, given.size(), of.size());
  for (size_t i = 0; i < of.size(); ++i) {
    CheckLike(op, absl::StrCat(what, "[", i, "]"), given[i], of_name, of[i]);
  }
}

void CheckDifferentiable(const char* op, const Tensor& x) {
  if (IsFloat(x.dtype())) return;
  Fail(op, "x: only float tensors have derivatives; it is ", Name(x.dtype()));
}

// Gradients of those outputs that have a history, with respect to those inputs that take one;
// zeros where nothing flows.
std::vector<Tensor> GradOrZeros(const std::vector<Tensor>& outputs,
                                const std::vector<Tensor>& douts, const std::vector<Tensor>& inputs,
                                bool create_graph) {
  GradOptions options{.create_graph = create_graph, .allow_unused = true};
  std::vector<Tensor> reached, wanted;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].requires_grad()) continue;
    reached.push_back(outputs[i]);
    options.grad_outputs.push_back(douts[i]);
  }
  for (const Tensor& input : inputs) {
    if (input.requires_grad()) wanted.push_back(input);
  }
  std::vector<Tensor> found(wanted.size());
  if (!reached.empty() && !wanted.empty()) found = Grad(reached, wanted, options);
  std::vector<Tensor> grads;
  size_t next = 0;
  for (const Tensor& input : inputs) {
    Tensor grad = input.requires_grad() ? found[next++] : Tensor();
    grads.push_back(grad.defined() ? grad : ZerosLike(input));
  }
  return grads;
}

// f(x), checked.
Tensor Evaluate(const char* op, const TensorFunction& f, const Tensor& x) {
  if (!f) Fail(op, "f: the function is empty; pass one");
  Tensor y = f(x);
  if (!y.defined()) Fail(op, "f: it returned an undefined tensor");
  return y;
}

std::vector<Tensor> Evaluate(const char* op, const TensorListFunction& f,
                             const std::vector<Tensor>& inputs) {
  if (!f) Fail(op, "f: the function is empty; pass one");
  std::vector<Tensor> outputs = f(inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) Fail(op, "f: it returned an undefined tensor as output ", i);
  }
  return outputs;
}

Tensor ScalarGrad(const char* op, const TensorFunction& f, const Tensor& leaf, bool create_graph) {
  const Tensor y = Evaluate(op, f, leaf);
  if (y.numel() != 1) {
    Fail(op, "f: it must return a scalar; it returned ", y.shape().ToString());
  }
  return GradOrZeros({y}, {OnesLike(y)}, {leaf}, create_graph)[0];
}

}  // namespace

FunctionalResult Vjp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                     const std::vector<Tensor>& douts) {
  EnableGrad enable_grad;
  const std::vector<Tensor> leaves = LeavesOf(inputs);
  const std::vector<Tensor> outputs = Evaluate("vjp", f, leaves);
  CheckAllLike("vjp", "douts", douts, "its output", outputs);
  return {DetachAll(outputs), GradOrZeros(outputs, douts, leaves, /*create_graph=*/false)};
}

FunctionalResult Jvp(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                     const std::vector<Tensor>& tangents) {
  CheckAllLike("jvp", "tangents", tangents, "its input", inputs);
  EnableGrad enable_grad;
  const std::vector<Tensor> leaves = LeavesOf(inputs);
  const std::vector<Tensor> outputs = Evaluate("jvp", f, leaves);
  std::vector<Tensor> douts;
  for (const Tensor& y : outputs) douts.push_back(LeafOf(ZerosLike(y)));
  const std::vector<Tensor> dinputs = GradOrZeros(outputs, douts, leaves, /*create_graph=*/true);
  return {DetachAll(outputs), GradOrZeros(dinputs, tangents, douts, /*create_graph=*/false)};
}

namespace {

TensorListFunction AsListFunction(const TensorFunction& f) {
  if (!f) return nullptr;
  return [&f](const std::vector<Tensor>& x) { return std::vector<Tensor>{f(x[0])}; };
}

}  // namespace

Tensor Vjp(const TensorFunction& f, const Tensor& x, const Tensor& dout) {
  return Vjp(AsListFunction(f), std::vector<Tensor>{x}, std::vector<Tensor>{dout}).products[0];
}

Tensor Jvp(const TensorFunction& f, const Tensor& x, const Tensor& tangent) {
  return Jvp(AsListFunction(f), std::vector<Tensor>{x}, std::vector<Tensor>{tangent}).products[0];
}

namespace {

// The Jacobian of y, computed from `leaf`, with respect to it.
Tensor JacobianOf(const Tensor& y, const Tensor& leaf) {
  Shape shape = y.shape();
  for (int64_t size : leaf.shape()) shape.Append(size);
  Tensor jacobian = Zeros(shape, leaf.dtype());
  if (!y.requires_grad()) return jacobian;
  auto* rows = static_cast<char*>(jacobian.mutable_raw_data());
  const size_t row_bytes = static_cast<size_t>(leaf.numel()) * SizeOf(leaf.dtype());
  for (int64_t i = 0; i < y.numel(); ++i) {
    Tensor one_hot = ZerosLike(y);
    VisitFloat(y.dtype(),
               [&]<typename T>() { one_hot.mutable_data<T>()[i] = static_cast<T>(1.0); });
    const GradOptions options{
        .grad_outputs = {one_hot}, .retain_graph = true, .allow_unused = true};
    const Tensor row = Grad({y}, {leaf}, options)[0];
    if (!row.defined()) continue;
    std::memcpy(rows + static_cast<size_t>(i) * row_bytes, row.DetachedContiguous().raw_data(),
                row_bytes);
  }
  return jacobian;
}

}  // namespace

Tensor Jacobian(const TensorFunction& f, const Tensor& x) {
  CheckDifferentiable("jacobian", x);
  EnableGrad enable_grad;
  const Tensor leaf = LeafOf(x);
  return JacobianOf(Evaluate("jacobian", f, leaf), leaf);
}

Tensor Hessian(const TensorFunction& f, const Tensor& x) {
  CheckDifferentiable("hessian", x);
  EnableGrad enable_grad;
  const Tensor leaf = LeafOf(x);
  return JacobianOf(ScalarGrad("hessian", f, leaf, /*create_graph=*/true), leaf);
}

Tensor Hvp(const TensorFunction& f, const Tensor& x, const Tensor& v) {
  CheckDifferentiable("hvp", x);
  CheckLike("hvp", "v", v, "x", x);
  EnableGrad enable_grad;
  const Tensor leaf = LeafOf(x);
  const Tensor gradient = ScalarGrad("hvp", f, leaf, /*create_graph=*/true);
  if (!gradient.requires_grad()) return ZerosLike(x);
  return GradOrZeros({Sum(gradient * v)}, {Scalar(1, x.dtype())}, {leaf},
                     /*create_graph=*/false)[0];
}

}  // namespace lemma
