// Gradients of every op in float64: against differences, and in two directions against each other.

#include <cmath>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/functional.h"
#include "autograd/gradcheck.h"
#include "autograd/node.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/every_op/every_op.h"
#include "tests/every_op/sample.h"

namespace lemma::every_op {
namespace {

class Gradients : public EveryOp {
 protected:
  bool HasGradient() const { return op().vjp != nullptr || op().composite != nullptr; }
};

TEST_P(Gradients, OfFirstOrderAgreeWithDifferences) {
  if (!HasGradient()) GTEST_SKIP() << op().name << " is constant";
  int checked = 0;
  for (const Sample& sample : Samples()) {
    if (sample.large || !HasFloat64(sample.inputs)) continue;
    SCOPED_TRACE(sample.name);
    const GradCheckReport report = GradCheck(sample.call, sample.inputs, sample.gradcheck);
    EXPECT_TRUE(report.passed) << report.explanation;
    ++checked;
  }
  EXPECT_GT(checked, 0) << op().name << " has no sample with float64 inputs";
}

TEST_P(Gradients, OfSecondOrderAgreeWithDifferences) {
  if (!HasGradient()) GTEST_SKIP() << op().name << " is constant";
  for (const Sample& sample : Samples()) {
    if (sample.large || !HasFloat64(sample.inputs)) continue;
    SCOPED_TRACE(sample.name);
    const GradCheckReport report = GradGradCheck(sample.call, sample.inputs, sample.gradcheck);
    EXPECT_TRUE(report.passed) << report.explanation;
  }
}

// The gradient that a sample's outputs get.
List Cotangents(const List& outputs, Draws& draws) {
  List douts;
  for (const Tensor& y : outputs) {
    douts.push_back(y.dtype() == DType::kFloat64 ? draws.Normal(y.shape()) : ZerosLike(y));
  }
  return douts;
}

double DotAll(const List& a, const List& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].defined() && a[i].dtype() == DType::kFloat64) sum += Sum(a[i] * b[i]).Item();
  }
  return sum;
}

// <dout, J v> = <J^T dout, v>: the first by the vjp of the vjp, the second by the vjp.
TEST_P(Gradients, ForwardAndBackwardProductsAgree) {
  if (!HasGradient()) GTEST_SKIP() << op().name << " is constant";
  Draws draws(51);
  for (const Sample& sample : Samples()) {
    bool all_defined = true;
    for (const Tensor& x : sample.inputs) all_defined &= x.defined();
    if (sample.large || !all_defined || !HasFloat64(sample.inputs)) continue;
    SCOPED_TRACE(sample.name);
    List tangents;
    for (const Tensor& x : sample.inputs) {
      tangents.push_back(x.dtype() == DType::kFloat64 ? draws.Normal(x.shape()) : ZerosLike(x));
    }
    const FunctionalResult forward = Jvp(sample.call, sample.inputs, tangents);
    const List douts = Cotangents(forward.outputs, draws);
    const FunctionalResult backward = Vjp(sample.call, sample.inputs, douts);
    const double left = DotAll(douts, forward.products);
    const double right = DotAll(backward.products, tangents);
    const double size =
        1 + std::sqrt(DotAll(douts, douts) * DotAll(forward.products, forward.products));
    // float32 in between rounds the tangents.
    EXPECT_NEAR(left, right, size * (sample.op == "cast" ? 1e-6 : 1e-12));
  }
}

// A fused op's kernels and its definition in plain ops.
TEST_P(Gradients, OfAFusedOpAreThoseOfItsComposite) {
  if (op().composite == nullptr) GTEST_SKIP() << op().name << " is not fused";
  Draws draws(52);
  for (const Sample& sample : Samples()) {
    if (!HasFloat64(sample.inputs)) continue;
    SCOPED_TRACE(sample.name);
    const List leaves = LeavesOf(sample.inputs);
    const List outputs = sample.call(leaves);
    const Node* node = FindNode(outputs, op().name);
    ASSERT_NE(node, nullptr);
    TensorList inputs;
    for (int i = 0; i < node->num_inputs(); ++i) inputs.push_back(node->Input(i));
    const TensorList composed = op().composite(inputs, node->attributes());
    ASSERT_EQ(static_cast<int>(composed.size()), node->num_outputs());
    for (int i = 0; i < node->num_outputs(); ++i) {
      EXPECT_EQ(composed[i].shape(), node->output(i).shape);
      EXPECT_EQ(composed[i].dtype(), node->output(i).dtype);
    }
    const List wanted = Wanted(leaves);
    GradOptions options{.grad_outputs = Cotangents(outputs, draws), .allow_unused = true};
    options.create_graph = true;
    const List by_composite = Grad(outputs, wanted, options);
    options.create_graph = false;
    const List by_kernel = Grad(outputs, wanted, options);
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_LE(RelativeError(by_kernel[i], by_composite[i]), 1e-12) << "input " << i;
    }
    // Values: through the composite's own graph, whose output is the node's.
    if (composed.size() == 1 && composed[0].numel() == outputs[0].numel()) {
      EXPECT_LE(RelativeError(outputs[0], Reshaped(composed[0], outputs[0].shape())), 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Gradients, ::testing::ValuesIn(AllOps()), OpName());

}  // namespace
}  // namespace lemma::every_op
