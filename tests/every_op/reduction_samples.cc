#include <cmath>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "tests/every_op/sample.h"

namespace lemma::every_op {
namespace {

using Dims = std::vector<int64_t>;
// A reduction of `x` over dimensions.
using Over = std::function<Tensor(const Tensor& x, const Dims& dims, bool keepdim)>;

void AddOver(std::vector<Sample>& samples, const std::string& op, const std::string& form,
             Over over, bool takes_nothing = true) {
  Draws draws(31);
  const auto add = [&](const char* name, const Tensor& x, Dims dims, bool keepdim,
                       bool large = false) {
    samples.push_back({.op = op,
                       .name = form + name,
                       .inputs = {x},
                       .call = One([=](Tensor y) { return over(y, dims, keepdim); }),
                       .float32_tolerance = 3e-5,
                       .large = large});
  };
  add("all", draws.Distinct({2, 3}), {}, false);
  add("rows", draws.Distinct({2, 3}), {-1}, false);
  add("columns, kept", draws.Distinct({3, 2}), {0}, true);
  add("outer and inner", draws.Distinct({2, 3, 2}), {0, 2}, false);
  add("stored transposed", StoredTransposed(draws.Distinct({3, 4})), {1}, false);
  add("stored apart", StoredApart(draws.Distinct({3, 4})), {0}, false);
  add("scalar", draws.Distinct({}) + 0.7, {}, false);
  add("of no rows", draws.Distinct({0, 3}), {1}, false);
  if (takes_nothing) add("of nothing", draws.Distinct({3, 0}), {1}, false);
  if (HasLarge(samples, op)) return;
  add("large", draws.Normal({300, 301}), {}, false, true);
  add("large, rows", draws.Normal({300, 301}), {1}, false, true);
  add("large, columns", draws.Normal({300, 301}), {0}, false, true);
}

void AddSums(std::vector<Sample>& samples) {
  AddOver(samples, "sum", "",
          [](const Tensor& x, const Dims& dims, bool keepdim) { return Sum(x, dims, keepdim); });
  // The mean of nothing is NaN, which no tolerance fits.
  AddOver(
      samples, "mean", "",
      [](const Tensor& x, const Dims& dims, bool keepdim) { return Mean(x, dims, keepdim); },
      /*takes_nothing=*/false);
  Draws draws(32);
  samples.push_back({.op = "sum",
                     .name = "to a shape",
                     .inputs = {draws.Normal({2, 3, 4})},
                     .call = One([](Tensor x) {
                       return SumTo(std::move(x), {3, 1});
                     })});
  samples.push_back(
      {.op = "sum", .name = "of bools", .inputs = {draws.Bools({2, 3})}, .call = One([](Tensor x) {
                                                                           return Sum(std::move(x));
                                                                         })});
  const auto running = [&](const char* name, const Tensor& x, int64_t dim, bool reverse,
                           bool large = false) {
    samples.push_back({.op = "cumsum",
                       .name = name,
                       .inputs = {x},
                       .call = One([=](Tensor y) { return CumSum(y, dim, reverse); }),
                       .bfloat16_tolerance = 0.05,
                       .large = large});
  };
  running("rows", draws.Normal({2, 4}), 1, false);
  running("columns, reverse", StoredTransposed(draws.Normal({4, 2})), 0, true);
  running("scalar", draws.Normal({}), 0, false);
  running("empty", draws.Normal({0, 2}), 0, false);
  running("large", draws.Normal({300, 301}), 1, false, true);
}

void AddStatistics(std::vector<Sample>& samples) {
  for (double correction : {0.0, 1.0}) {
    // With one element and a correction of 1 the variance is NaN.
    AddOver(
        samples, "var", "correction " + std::to_string(static_cast<int>(correction)) + ": ",
        [correction](const Tensor& x, const Dims& dims, bool keepdim) {
          return x.rank() == 0 ? Var(x, dims, 0, keepdim) : Var(x, dims, correction, keepdim);
        },
        /*takes_nothing=*/false);
  }
  for (double p :
       {2.0, 0.0, 1.0, 3.0, 1.5, static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
    // Steps that leave out 0, where norms have a kink, and opposite values, which tie.
    AddOver(
        samples, "norm", "p = " + std::to_string(p) + ": ",
        [p](const Tensor& x, const Dims& dims, bool keepdim) {
          return Norm(x + 0.03, p, dims, keepdim);
        },
        /*takes_nothing=*/!std::isinf(p));
  }
  AddOver(
      samples, "logsumexp", "",
      [](const Tensor& x, const Dims& dims, bool keepdim) { return LogSumExp(x, dims, keepdim); },
      /*takes_nothing=*/false);
}

void AddExtremes(std::vector<Sample>& samples) {
  AddOver(
      samples, "amax", "",
      [](const Tensor& x, const Dims& dims, bool keepdim) { return AMax(x, dims, keepdim); },
      /*takes_nothing=*/false);
  AddOver(
      samples, "amin", "",
      [](const Tensor& x, const Dims& dims, bool keepdim) { return AMin(x, dims, keepdim); },
      /*takes_nothing=*/false);
  using Along = ValuesAndIndices (*)(const Tensor&, int64_t, bool);
  using Arg = Tensor (*)(const Tensor&, int64_t, bool);
  using ArgAll = Tensor (*)(const Tensor&);
  Draws draws(33);
  const std::pair<const char*, const Tensor> inputs[] = {
      {"matrix", draws.Distinct({3, 4})},
      {"stored transposed", StoredTransposed(draws.Distinct({3, 4}))},
      {"scalar", draws.Distinct({})},
      {"no rows", draws.Distinct({0, 4})},
      {"large", draws.Distinct({300, 301}, 1e-4)},
  };
  for (const auto& [name, x] : inputs) {
    const bool large = x.numel() > 1000;
    for (bool keepdim : {false, true}) {
      for (const auto& [op, fn] : {std::pair<const char*, Along>{"max", Max}, {"min", Min}}) {
        samples.push_back({.op = op,
                           .name = name,
                           .inputs = {x},
                           .call = [fn = fn, keepdim](List in) -> List {
                             auto [values, indices] = fn(in[0], -1, keepdim);
                             return {values, indices};
                           },
                           .has_bfloat16 = !large,
                           .large = large});
      }
      for (const auto& [op, fn] :
           {std::pair<const char*, Arg>{"argmax", ArgMax}, {"argmin", ArgMin}}) {
        samples.push_back({.op = op,
                           .name = name,
                           .inputs = {x},
                           .call = One([fn = fn, keepdim](Tensor y) { return fn(y, -1, keepdim); }),
                           .has_bfloat16 = !large,
                           .large = large});
      }
    }
    if (x.numel() == 0) continue;
    for (const auto& [op, fn] :
         {std::pair<const char*, ArgAll>{"argmax", ArgMax}, {"argmin", ArgMin}}) {
      samples.push_back({.op = op,
                         .name = std::string(name) + ", flattened",
                         .inputs = {x},
                         .call = One(fn),
                         .has_bfloat16 = !large,
                         .large = large});
    }
  }
  for (const bool largest : {true, false}) {
    for (const auto& [name, x] : inputs) {
      const bool large = x.numel() > 1000;
      samples.push_back({.op = "topk",
                         .name = std::string(name) + (largest ? ", greatest" : ", least"),
                         .inputs = {x},
                         .call = [largest](List in) -> List {
                           const int64_t k = in[0].rank() == 0 ? 1 : 2;
                           auto [values, indices] = TopK(in[0], k, -1, largest);
                           return {values, indices};
                         },
                         .has_bfloat16 = !large,
                         .large = large});
    }
  }
}

void AddSoftmax(std::vector<Sample>& samples) {
  Draws draws(34);
  const auto add = [&](const char* name, const Tensor& x, int64_t dim, bool large = false) {
    samples.push_back({.op = "softmax",
                       .name = name,
                       .inputs = {x},
                       .call = One([dim](Tensor y) { return Softmax(std::move(y), dim); }),
                       .large = large});
    samples.push_back({.op = "log_softmax",
                       .name = name,
                       .inputs = {x},
                       .call = One([dim](Tensor y) { return LogSoftmax(std::move(y), dim); }),
                       .large = large});
  };
  add("rows", draws.Normal({3, 4}), -1);
  add("columns", draws.Normal({3, 4}), 0);
  add("middle", draws.Normal({2, 3, 2}), 1);
  add("stored transposed", StoredTransposed(draws.Normal({3, 4})), 1);
  add("one class", draws.Normal({3, 1}), 1);
  add("scalar", draws.Normal({}), 0);
  add("no rows", draws.Normal({0, 3}), 1);
  add("no classes", draws.Normal({3, 0}), 1);
  add("large", draws.Normal({300, 301}), 1, true);
}

}  // namespace

std::vector<Sample> ReductionSamples() {
  std::vector<Sample> samples;
  AddSums(samples);
  AddStatistics(samples);
  AddExtremes(samples);
  AddSoftmax(samples);
  return samples;
}

}  // namespace lemma::every_op
