#include "tests/every_op/every_op.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/views.h"

namespace lemma::every_op {

std::vector<Sample> EveryOp::Samples() const {
  std::vector<Sample> samples = SamplesOf(op().name);
  EXPECT_FALSE(samples.empty()) << "the op '" << op().name
                                << "' has no samples; add some to a file of tests/every_op";
  return samples;
}

bool HasFloat64(const List& inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& x) { return x.defined() && x.dtype() == DType::kFloat64; });
}

List LeavesOf(const List& inputs) {
  List leaves;
  for (const Tensor& x : inputs) {
    leaves.push_back(x.defined() ? x.Detach() : x);
    if (x.defined() && IsFloat(x.dtype())) leaves.back().SetRequiresGrad(true);
  }
  return leaves;
}

List Wanted(const List& leaves) {
  List wanted;
  for (const Tensor& x : leaves) {
    if (x.requires_grad()) wanted.push_back(x);
  }
  return wanted;
}

const Node* FindNode(const List& outputs, const std::string& op) {
  std::vector<const Node*> stack;
  std::set<const Node*> seen;
  const auto visit = [&](const Edge* edge) {
    if (edge != nullptr && edge->node && seen.insert(edge->node.get()).second) {
      stack.push_back(edge->node.get());
    }
  };
  for (const Tensor& y : outputs) visit(y.edge());
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (op == node->name()) return node;
    for (int i = 0; i < node->num_inputs(); ++i) visit(&node->edge(i));
  }
  return nullptr;
}

Tensor Reshaped(const Tensor& x, const Shape& shape) { return Reshape(x.Detach(), shape); }

double RelativeError(const Tensor& a, const Tensor& b) {
  if (!a.defined() && !b.defined()) return 0;
  const auto values = [](const Tensor& x, const Tensor& other) {
    return x.defined() ? Cast(x.Detach(), DType::kFloat64).ToVector<double>()
                       : std::vector<double>(other.numel());
  };
  const std::vector<double> left = values(a, b), right = values(b, a);
  if (left.size() != right.size()) return std::numeric_limits<double>::infinity();
  double largest = 1, error = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    if (std::isnan(left[i]) != std::isnan(right[i])) {
      return std::numeric_limits<double>::infinity();
    }
    if (left[i] == right[i] || std::isnan(left[i])) continue;
    largest = std::max(largest, std::abs(right[i]));
    error = std::max(error, std::abs(left[i] - right[i]));
  }
  return error / largest;
}

ValuesAndGradients Evaluate(const Sample& sample, const List& inputs, uint64_t seed) {
  const List leaves = LeavesOf(inputs);
  ValuesAndGradients result;
  result.outputs = sample.call(leaves);
  Draws draws(seed);
  GradOptions options{.allow_unused = true};
  List reached;
  for (const Tensor& y : result.outputs) {
    const Tensor dout = draws.Normal(y.shape());
    if (!y.requires_grad()) continue;
    reached.push_back(y);
    options.grad_outputs.push_back(Cast(dout, y.dtype()));
  }
  const List wanted = Wanted(leaves);
  if (!reached.empty()) result.gradients = Grad(reached, wanted, options);
  return result;
}

std::string BytesOf(const Tensor& x) {
  if (!x.defined()) return "";
  const Tensor dense = x.DetachedContiguous();
  return std::string(static_cast<const char*>(dense.raw_data()),
                     static_cast<size_t>(dense.numel()) * SizeOf(dense.dtype()));
}

}  // namespace lemma::every_op
