#include "tools/grading/model/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/statistics.h"
#include "autograd/ops/views.h"
#include "tools/grading/checks.h"
#include "tools/grading/model/random_text.h"

namespace lemma::tools::grading {
namespace {

constexpr double kTolerance = 1e-5;  // of |G|
constexpr double kRounding = 1e-7;   // of a difference, where G is 0
constexpr size_t kMostTensors = 64;
constexpr int64_t kRows = 2, kLength = 8;

struct Comparison {
  double gradient = 0;    // <G, D>
  double difference = 0;  // along D
  double norm = 0;        // |G|

  double distance() const { return std::abs(gradient - difference); }
  bool Agrees() const { return distance() <= kTolerance * norm + kRounding; }
  // Of |G|, or of what would pass as 0.
  double relative() const { return distance() / std::max(norm, kRounding / kTolerance); }
};

// Of the size of what it moves, so that neither rounding nor curvature matters.
double StepFor(const Tensor& parameter) {
  const double rms = Norm(parameter).Item() / std::sqrt(static_cast<double>(parameter.numel()));
  return 1e-5 * std::max(rms, 0.1);
}

Comparison Compare(JudgedModel& model, const TokenBatch& batch, Tensor parameter,
                   Generator& generator) {
  const NoGrad no_grad;
  const Tensor direction = RandN(parameter.shape(), generator, DType::kFloat64);
  Comparison result;
  const Tensor gradient = parameter.grad();
  if (gradient.defined()) {
    result.gradient = Sum(gradient * direction).Item();
    result.norm = Norm(gradient).Item();
  }
  const Tensor before = Clone(parameter);
  const double h = StepFor(parameter);
  AddInPlace(parameter, direction, h);
  const double above = LossOf(model, batch).Item();
  CopyFrom(parameter, before);
  AddInPlace(parameter, direction, -h);
  result.difference = (above - LossOf(model, batch).Item()) / (2 * h);
  CopyFrom(parameter, before);
  return result;
}

}  // namespace

Finding CheckGradient(const ModelExamination& e) {
  const std::unique_ptr<JudgedModel> model = e.model.Copy(DType::kFloat64);
  Generator generator(e.seed + 6);
  const TokenBatch batch =
      RandomBatch(*model, kRows, std::min<int64_t>(model->context(), kLength), generator);
  Backward(LossOf(*model, batch));
  const std::vector<nn::NamedTensor> parameters = model->Parameters();
  const size_t count = std::min(parameters.size(), kMostTensors);
  double largest = 0;
  size_t wrong = 0;
  Finding finding;
  for (size_t i = 0; i < count; ++i) {
    e.status(absl::StrCat("tensor ", i + 1, " of ", count));
    const nn::NamedTensor& named = parameters[i * parameters.size() / count];
    const Comparison comparison = Compare(*model, batch, named.value, generator);
    if (!(comparison.relative() <= largest)) largest = comparison.relative();
    if (comparison.Agrees() || wrong++ > 0) continue;
    finding.where = named.name;
    finding.problem =
        absl::StrFormat("along a random direction its gradient says %.6g, differences say %.6g",
                        comparison.gradient, comparison.difference);
  }
  finding.passed = wrong == 0;
  if (wrong > 1) absl::StrAppend(&finding.problem, "; ", wrong - 1, " tensors more are wrong");
  finding.measured =
      absl::StrCat(AtMost("largest distance from differences, of |G|", largest, kTolerance), ", ",
                   count, " of ", parameters.size(), " tensors");
  return finding;
}

}  // namespace lemma::tools::grading
