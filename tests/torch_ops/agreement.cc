#include "tests/torch_ops/agreement.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/error.h"
#include "autograd/ops/cast.h"
#include "tests/torch_ops/samples.h"

namespace lemma::torch_ops {
namespace {

using Tensors = std::vector<Tensor>;

std::vector<double> Values(const Tensor& x) {
  return Cast(x.Detach(), DType::kFloat64).ToVector<double>();
}

Tensors Run(const Operator& op, const Sample& sample) {
  Tensors outputs = op.call(sample.arguments);
  sample.arguments.CheckAllRead();
  return outputs;
}

std::string DifferenceOfAll(const char* what, const Tensors& got, const Tensors& expected,
                            double tolerance) {
  if (got.size() != expected.size()) {
    return absl::StrCat("there are ", got.size(), " of ", what, ", not ", expected.size());
  }
  for (size_t i = 0; i < got.size(); ++i) {
    const std::string difference = Difference(got[i], expected[i], tolerance);
    if (!difference.empty()) return absl::StrCat(what, " ", i, ": ", difference);
  }
  return "";
}

// A missing gradient is zero.
std::string DifferenceOfGrads(const char* what, Tensors got, Tensors expected,
                              const Tensors& inputs, double tolerance) {
  for (Tensors* grads : {&got, &expected}) {
    for (size_t i = 0; i < grads->size(); ++i) {
      if (!(*grads)[i].defined()) (*grads)[i] = ZerosLike(inputs[i]);
    }
  }
  return DifferenceOfAll(what, got, expected, tolerance);
}

// The outputs that a gradient flows from: those of a float type.
Tensors Differentiable(const Tensors& outputs) {
  Tensors list;
  for (const Tensor& output : outputs) {
    if (IsFloat(output.dtype())) list.push_back(output);
  }
  return list;
}

std::string SecondOrderDifference(const Operator& op, const Sample& sample, double tolerance) {
  const Tensors outputs = Differentiable(Run(op, sample));
  const Tensors grads =
      Grad(outputs, sample.inputs,
           {.grad_outputs = sample.douts, .create_graph = true, .allow_unused = true});
  const std::string difference =
      DifferenceOfGrads("recorded gradient", grads, sample.grads, sample.inputs, tolerance);
  if (!difference.empty() || sample.v.empty()) return difference;
  Tensors roots, factors;
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!sample.v[i].defined() || !grads[i].defined() || !grads[i].requires_grad()) continue;
    roots.push_back(grads[i]);
    factors.push_back(sample.v[i]);
  }
  Tensors second(sample.inputs.size());
  if (!roots.empty()) {
    second = Grad(roots, sample.inputs, {.grad_outputs = factors, .allow_unused = true});
  }
  return DifferenceOfGrads("second gradient", second, sample.second_grads, sample.inputs,
                           tolerance);
}

}  // namespace

std::string Difference(const Tensor& got, const Tensor& expected, double tolerance) {
  if (!(got.shape() == expected.shape())) {
    return absl::StrCat("shape ", got.shape().ToString(), ", not ", expected.shape().ToString());
  }
  if (got.dtype() != expected.dtype()) {
    return absl::StrCat("type ", Name(got.dtype()), ", not ", Name(expected.dtype()));
  }
  const std::vector<double> x = Values(got), y = Values(expected);
  double scale = 1;
  for (double value : y) {
    if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
  }
  for (size_t i = 0; i < x.size(); ++i) {
    const bool same = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
    if (same || std::abs(x[i] - y[i]) <= tolerance * scale) continue;
    return absl::StrCat("element ", i, " is ", x[i], ", not ", y[i], ", ", x[i] - y[i],
                        " away; allowed: ", tolerance * scale);
  }
  return "";
}

std::string Disagreement(const std::string& op, int i, DType dtype) {
  const double tolerance = dtype == DType::kFloat64 ? 1e-10 : 1e-5;
  try {
    const Sample sample = Samples::Get().Make(op, i, dtype);
    const Operator* mapped = FindOperator(sample.op);
    if (!mapped) return absl::StrCat(sample.op, " has no counterpart");
    Tensors outputs = Run(*mapped, sample);
    std::string difference = DifferenceOfAll("output", outputs, sample.outputs, tolerance);
    if (!difference.empty() || sample.douts.empty()) return difference;
    const Tensors grads = Grad(Differentiable(outputs), sample.inputs,
                               {.grad_outputs = sample.douts, .allow_unused = true});
    difference = DifferenceOfGrads("gradient", grads, sample.grads, sample.inputs, tolerance);
    if (!difference.empty() || dtype != DType::kFloat64) return difference;
    return SecondOrderDifference(*mapped, sample, tolerance);
  } catch (const std::exception& error) {
    return absl::StrCat("threw: ", error.what());
  }
}

std::string Acceptance(const std::string& op, int i) {
  const Operator* mapped = FindOperator(op);
  if (!mapped) return absl::StrCat(op, " has no counterpart");
  try {
    const Arguments arguments = Samples::Get().MakeRefused(op, i);
    mapped->call(arguments);
    arguments.CheckAllRead();
    return "accepted";
  } catch (const Error&) {
    return "";
  } catch (const NotMapped& error) {
    return absl::StrCat("not mapped: ", error.what());
  }
}

}  // namespace lemma::torch_ops
