#include <functional>
#include <string>
#include <vector>

#include "autograd/ops/layer_norm.h"
#include "tools/grading/exercises/layer_norm/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallLayerNorm;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using Function = Tensor (*)(const Tensor& x, const Tensor& w, const Tensor& b, double eps);

Callable Bound(Function function) {
  return [function](const Values& in) { return CallLayerNorm(function, in); };
}

Tensor Centred(const Tensor& x) { return x - Mean(x, {-1}, true); }
Tensor Variance(const Tensor& x) { return Var(x, {-1}, 0, true); }

Tensor InOps(const Tensor& x, const Tensor& w, const Tensor& b, double eps) {
  const Tensor c = Centred(x);
  return c / Sqrt(Mean(c * c, {-1}, true) + eps) * w + b;
}

Tensor Fused(const Tensor& x, const Tensor& w, const Tensor& b, double eps) {
  return lemma::LayerNorm(x, {x.size(-1)}, w, b, eps);
}

// Rows in loops of doubles.
Tensor InLoops(const Tensor& x, const Tensor& w, const Tensor& b, double eps) {
  const int64_t width = w.size(0);
  const std::vector<float> in = x.ToVector<float>(), ws = w.ToVector<float>(),
                           bs = b.ToVector<float>();
  std::vector<float> out(in.size());
  for (size_t row = 0; row < in.size(); row += static_cast<size_t>(width)) {
    double mean = 0, square = 0;
    for (int64_t c = 0; c < width; ++c) mean += in[row + c] / static_cast<double>(width);
    for (int64_t c = 0; c < width; ++c) square += (in[row + c] - mean) * (in[row + c] - mean);
    const double scale = 1 / std::sqrt(square / static_cast<double>(width) + eps);
    for (int64_t c = 0; c < width; ++c) {
      out[row + c] = static_cast<float>((in[row + c] - mean) * scale * ws[c] + bs[c]);
    }
  }
  return FromVector(out, x.shape());
}

std::vector<Specimen> Mistaken() {
  const auto wrong = [](const char* name, const char* id, Function f) {
    return Specimen{name, Bound(f), {id}};
  };
#define ARGUMENTS                                                     \
  [[maybe_unused]] const Tensor &x, [[maybe_unused]] const Tensor &w, \
      [[maybe_unused]] const Tensor &b, [[maybe_unused]] double eps
  return {
      wrong("over_positions", "axis/rows",
            [](ARGUMENTS) {
              const int64_t dim = x.rank() > 1 ? -2 : -1;
              const Tensor c = x - Mean(x, {dim}, true);
              return c / Sqrt(Var(x, {dim}, 0, true) + eps) * w + b;
            }),
      wrong("over_everything", "axis/all",
            [](ARGUMENTS) { return (x - Mean(x)) / Sqrt(Var(x, {}, 0) + eps) * w + b; }),
      wrong("mean_kept", "mean/kept",
            [](ARGUMENTS) { return x / Sqrt(Variance(x) + eps) * w + b; }),
      wrong("unbiased", "variance/unbiased",
            [](ARGUMENTS) { return Centred(x) / Sqrt(Var(x, {-1}, 1, true) + eps) * w + b; }),
      wrong("mean_of_squares", "variance/of_the_raw",
            [](ARGUMENTS) { return Centred(x) / Sqrt(Mean(x * x, {-1}, true) + eps) * w + b; }),
      wrong("sum_of_squares", "variance/sum",
            [](ARGUMENTS) {
              const Tensor c = Centred(x);
              return c / Sqrt(Sum(c * c, {-1}, true) + eps) * w + b;
            }),
      wrong("eps_outside", "eps/outside",
            [](ARGUMENTS) { return Centred(x) / (Sqrt(Variance(x)) + eps) * w + b; }),
      wrong("eps_forgotten", "eps/forgotten",
            [](ARGUMENTS) { return Centred(x) / Sqrt(Variance(x)) * w + b; }),
      wrong("another_eps", "eps/smaller",
            [](ARGUMENTS) { return Centred(x) / Sqrt(Variance(x) + 1e-6) * w + b; }),
      wrong("an_eps_on_no_list", "eps/other", [](ARGUMENTS) { return InOps(x, w, b, 3e-4); }),
      wrong("root_forgotten", "root/forgotten",
            [](ARGUMENTS) { return Centred(x) / (Variance(x) + eps) * w + b; }),
      wrong("root_multiplied", "root/multiplied",
            [](ARGUMENTS) { return Centred(x) * Sqrt(Variance(x) + eps) * w + b; }),
      wrong("no_affine", "affine/none",
            [](ARGUMENTS) { return Centred(x) / Sqrt(Variance(x) + eps); }),
      wrong("no_weight", "affine/no_weight",
            [](ARGUMENTS) { return Centred(x) / Sqrt(Variance(x) + eps) + b; }),
      wrong("no_bias", "affine/no_bias",
            [](ARGUMENTS) { return Centred(x) / Sqrt(Variance(x) + eps) * w; }),
      wrong("bias_first", "affine/bias_first",
            [](ARGUMENTS) { return (Centred(x) / Sqrt(Variance(x) + eps) + b) * w; }),
      wrong("weight_and_bias_swapped", "affine/swapped",
            [](ARGUMENTS) { return Centred(x) / Sqrt(Variance(x) + eps) * b + w; }),
      // E[x^2] - mean^2 loses all digits far from 0.
      wrong("one_pass_variance", "far_from_zero",
            [](ARGUMENTS) {
              const Tensor mean = Mean(x, {-1}, true);
              const Tensor v = Clamp(Mean(x * x, {-1}, true) - mean * mean, 0);
              return (x - mean) / Sqrt(v + eps) * w + b;
            }),
      wrong("constant_rows_are_zero", "constant_rows",
            [](ARGUMENTS) {
              const Tensor v = Variance(x);
              return Where(Equal(v, 0), Zeros(x.shape()), Centred(x) / Sqrt(v + eps) * w + b);
            }),
      wrong("another_eps_for_small_rows", "eps/other",
            [](ARGUMENTS) {
              return Fused(
                  x, w, b,
                  Max(Variance(x)).Item() < 1e-3 && Max(Variance(x)).Item() > 1e-9 ? 1e-7 : eps);
            }),
      wrong("rank_2_at_least", "one_row",
            [](ARGUMENTS) {
              return x.rank() == 1 ? Unsqueeze(Fused(x, w, b, eps), 0) : Fused(x, w, b, eps);
            }),
      wrong("unsteady", "deterministic",
            [](ARGUMENTS) { return Fused(x, w, b, eps) * lemma::tools::grading::UnsteadyOne(); }),
      wrong("writes_its_weights", "clean",
            [](ARGUMENTS) {
              const Tensor y = Fused(x, w, b, eps);
              Tensor weight = w;
              *weight.mutable_data<float>() += 1;
              return y;
            }),
      wrong("in_float64", "shapes",
            [](ARGUMENTS) { return lemma::tools::grading::InFloat64(Fused(x, w, b, eps)); }),
      wrong("flattened", "shapes",
            [](ARGUMENTS) {
              return Reshape(Fused(x, w, b, eps), {-1, w.size(0)});
            }),
  };
#undef ARGUMENTS
}

const Specimens kSpecimens(
    "layer_norm", {{"in_ops", Bound(InOps)}, {"fused", Bound(Fused)}, {"in_loops", Bound(InLoops)}},
    Mistaken());

}  // namespace
}  // namespace homework
