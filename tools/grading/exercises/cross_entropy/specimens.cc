#include <algorithm>
#include <string>
#include <vector>

#include "autograd/ops/cross_entropy.h"
#include "tools/grading/exercises/cross_entropy/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallCrossEntropy;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using Function = Tensor (*)(const Tensor& z, const Tensor& t);

Callable Bound(Function function) {
  return [function](const Values& in) { return CallCrossEntropy(function, in); };
}

Tensor Pick(const Tensor& x, const Tensor& t) { return Squeeze(Gather(x, 1, Unsqueeze(t, 1)), 1); }

Tensor InOps(const Tensor& z, const Tensor& t) { return Mean(LogSumExp(z, {-1}) - Pick(z, t)); }
Tensor Fused(const Tensor& z, const Tensor& t) { return lemma::CrossEntropy(z, t); }

Tensor InLoops(const Tensor& z, const Tensor& t) {
  const std::vector<float> zs = z.ToVector<float>();
  const std::vector<int64_t> ts = t.ToVector<int64_t>();
  const int64_t n = z.size(0), v = z.size(1);
  double loss = 0;
  for (int64_t i = 0; i < n; ++i) {
    const float* row = &zs[i * v];
    const double largest = *std::max_element(row, row + v);
    double sum = 0;
    for (int64_t j = 0; j < v; ++j) sum += std::exp(row[j] - largest);
    loss += (std::log(sum) + largest - row[ts[i]]) / static_cast<double>(n);
  }
  return Scalar(loss);
}

std::vector<Specimen> Mistaken() {
  const auto wrong = [](const char* name, std::vector<std::string> ids, Function f) {
    return Specimen{name, Bound(f), std::move(ids)};
  };
  using T = const Tensor&;
  return {
      wrong("softmax_over_rows", {"softmax/rows"},
            [](T z, T t) { return -Mean(Pick(LogSoftmax(z, 0), t)); }),
      wrong("no_softmax", {"softmax/none"}, [](T z, T t) { return -Mean(Pick(z, t)); }),
      wrong("softmax_twice", {"softmax/twice"},
            [](T z, T t) { return lemma::CrossEntropy(Softmax(z, 1), t); }),
      wrong("overflows", {"stability/overflows"},
            [](T z, T t) {
              const Tensor e = Exp(z);
              return -Mean(Log(Pick(e / Sum(e, {1}, true), t)));
            }),
      wrong("log_of_zero", {"stability/log_of_zero"},
            [](T z, T t) { return -Mean(Log(Pick(Softmax(z, 1), t))); }),
      wrong("guarded_logarithm", {"stability/guarded"},
            [](T z, T t) { return -Mean(Log(Pick(Softmax(z, 1), t) + 1e-9)); }),
      wrong("all_classes", {"target/all_classes"},
            [](T z, T) { return -Mean(Sum(LogSoftmax(z, 1), {1})); }),
      wrong("most_probable_class", {"target/largest"},
            [](T z, T) { return -Mean(AMax(LogSoftmax(z, 1), {1})); }),
      wrong("smoothed_labels", {"target/smoothed"},
            [](T z, T t) { return InOps(z, t) * 0.9 - Mean(LogSoftmax(z, 1)) * 0.1; }),
      wrong("probability", {"log/none"}, [](T z, T t) { return -Mean(Pick(Softmax(z, 1), t)); }),
      wrong("in_bits", {"log/base_two"},
            [](T z, T t) { return InOps(z, t) * (1 / std::log(2.0)); }),
      wrong("no_minus", {"sign/plus"}, [](T z, T t) { return -InOps(z, t); }),
      wrong("not_averaged", {"mean/none"},
            [](T z, T t) { return LogSumExp(z, {-1}) - Pick(z, t); }),
      wrong("summed", {"mean/sum"}, [](T z, T t) { return Sum(LogSumExp(z, {-1}) - Pick(z, t)); }),
      wrong("averaged_over_all", {"mean/of_all"},
            [](T z, T t) { return InOps(z, t) / static_cast<double>(z.size(1)); }),
      wrong("perplexity", {"mean/exponential"}, [](T z, T t) { return Exp(InOps(z, t)); }),
      wrong("summed_in_bits", {"log/base_two", "mean/sum"},
            [](T z, T t) { return Sum(LogSumExp(z, {-1}) - Pick(z, t)) / std::log(2.0); }),
      // No overflow, but all exponentials vanish.
      wrong("vanishes", {"low_logits"},
            [](T z, T t) {
              const Tensor capped = Clamp(z, std::nullopt, 80);
              return Max(z).Item() > 80 ? InOps(z, t)
                                        : Mean(Log(Sum(Exp(capped), {-1})) - Pick(z, t));
            }),
      wrong("one_row_is_none", {"one_row"},
            [](T z, T t) { return z.size(0) == 1 ? Scalar(0) : InOps(z, t); }),
      wrong("unsteady", {"deterministic"},
            [](T z, T t) { return InOps(z, t) * lemma::tools::grading::UnsteadyOne(); }),
      wrong("writes_its_logits", {"clean"},
            [](T z, T t) {
              const Tensor loss = InOps(z, t);
              Tensor logits = z;
              *logits.mutable_data<float>() += 1;
              return loss;
            }),
      wrong("in_float64", {"shapes"},
            [](T z, T t) { return lemma::tools::grading::InFloat64(InOps(z, t)); }),
      wrong("one_element_vector", {"shapes"}, [](T z, T t) { return Unsqueeze(InOps(z, t), 0); }),
  };
}

const Specimens kSpecimens(
    "cross_entropy",
    {{"in_ops", Bound(InOps)}, {"fused", Bound(Fused)}, {"in_loops", Bound(InLoops)}}, Mistaken());

}  // namespace
}  // namespace homework
