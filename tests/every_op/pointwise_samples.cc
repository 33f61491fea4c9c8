#include <limits>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/maximum.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/pow.h"
#include "autograd/ops/views.h"
#include "tests/every_op/sample.h"

namespace lemma::every_op {
namespace {

const Shape kLarge{300, 301};

// How the inputs of a function of one tensor are drawn.
using Draw = Tensor (*)(Draws&, const Shape&);

Tensor AnySign(Draws& draws, const Shape& shape) { return draws.AwayFromZero(shape); }
Tensor Positive(Draws& draws, const Shape& shape) { return draws.Uniform(shape, 0.3, 3); }

void AddUnary(std::vector<Sample>& samples, const std::string& op, const std::string& form,
              SampleFunction call, Draw draw) {
  Draws draws(11);
  const auto add = [&](const char* name, const Tensor& x, bool large = false) {
    samples.push_back({.op = op, .name = form + name, .inputs = {x}, .call = call, .large = large});
  };
  add("matrix", draw(draws, {2, 3}));
  add("scalar", draw(draws, {}));
  add("empty", draw(draws, {0, 3}));
  add("stored transposed", StoredTransposed(draw(draws, {3, 4})));
  add("stored apart", StoredApart(draw(draws, {2, 5})));
  add("expanded", Expand(draw(draws, {2, 1}), {2, 3}));
  if (HasLarge(samples, op)) return;
  add("large", draw(draws, kLarge), true);
  add("large, stored transposed", StoredTransposed(draw(draws, kLarge)), true);
}

struct BinaryInputs {
  const char* name;
  Tensor a, b;
  bool large = false;
};

// Pairs that broadcast in different ways. Elements of `a` and `b` are never equal.
std::vector<BinaryInputs> BinaryPairs(Draw draw) {
  Draws draws(12);
  const auto pair = [&](const char* name, const Shape& a, const Shape& b, bool large = false) {
    return BinaryInputs{name, draw(draws, a), draw(draws, b), large};
  };
  std::vector<BinaryInputs> pairs = {
      pair("same shape", {2, 3}, {2, 3}),
      pair("(1) and (5, 4)", {1}, {5, 4}),
      pair("(4, 1) and (1, 4)", {4, 1}, {1, 4}),
      pair("(2, 1, 3, 2) and (2, 1, 3, 1)", {2, 1, 3, 2}, {2, 1, 3, 1}),
      pair("(3) and (2, 3)", {3}, {2, 3}),
      pair("scalars", {}, {}),
      pair("scalar and vector", {}, {3}),
      pair("empty", {0, 3}, {1, 3}),
      pair("large", kLarge, kLarge, true),
      pair("large, row", kLarge, {301}, true),
      pair("large, column", {300, 1}, kLarge, true),
  };
  pairs.push_back({"stored apart and transposed", StoredApart(draw(draws, {3, 4})),
                   StoredTransposed(draw(draws, {3, 4}))});
  pairs.push_back({"expanded", Expand(draw(draws, {1, 3}), {2, 3}), draw(draws, {2, 3})});
  return pairs;
}

void AddBinary(std::vector<Sample>& samples, const std::string& op, SampleFunction call,
               Draw draw) {
  for (const BinaryInputs& in : BinaryPairs(draw)) {
    samples.push_back(
        {.op = op, .name = in.name, .inputs = {in.a, in.b}, .call = call, .large = in.large});
  }
}

void AddArithmetic(std::vector<Sample>& samples) {
  using Two2 = Tensor (*)(Tensor, Tensor);
  AddBinary(samples, "add", Two(Two2{Add}), AnySign);
  AddBinary(samples, "sub", Two(Two2{Sub}), AnySign);
  AddBinary(samples, "mul", Two(Two2{Mul}), AnySign);
  AddBinary(samples, "div", Two(Two2{Div}), AnySign);
  AddBinary(samples, "maximum", Two(Two2{Maximum}), AnySign);
  AddBinary(samples, "minimum", Two(Two2{Minimum}), AnySign);
  AddBinary(samples, "pow", Two(Two2{Pow}), Positive);
  const auto number = [&](const char* op, const char* form, auto fn, Draw draw = AnySign) {
    AddUnary(samples, op, std::string(form) + ": ", One(fn), draw);
  };
  number("add", "x + 2.5", [](Tensor x) { return std::move(x) + 2.5; });
  number("sub", "x - 2.5", [](Tensor x) { return std::move(x) - 2.5; });
  number("sub", "2.5 - x", [](Tensor x) { return 2.5 - std::move(x); });
  number("mul", "x 2.5", [](Tensor x) { return std::move(x) * 2.5; });
  number("div", "x / 2.5", [](Tensor x) { return std::move(x) / 2.5; });
  number("div", "2.5 / x", [](Tensor x) { return 2.5 / std::move(x); });
  number("maximum", "with 0", [](Tensor x) { return Maximum(std::move(x), 0.0); });
  number("minimum", "with 0", [](Tensor x) { return Minimum(std::move(x), 0.0); });
  for (double p : {0.0, 1.0, 2.0, 3.0, 0.5, -1.0, -2.0, -0.5, 1.7}) {
    AddUnary(samples, "pow", "x^" + std::to_string(p) + ": ",
             One([p](Tensor x) { return Pow(std::move(x), p); }), Positive);
  }
  number("pow", "2^x", [](Tensor x) { return Pow(2.0, std::move(x)); });
  number("pow", "x^3 of any sign", [](Tensor x) { return Pow(std::move(x), 3); });
}

void AddFunctions(std::vector<Sample>& samples) {
  const auto function = [&](const char* op, Tensor (*fn)(Tensor), Draw draw = AnySign) {
    AddUnary(samples, op, "", One(fn), draw);
  };
  function("neg", Neg);
  function("exp", Exp);
  function("log", Log, Positive);
  function("log1p", Log1p, Positive);
  function("sqrt", Sqrt, Positive);
  function("rsqrt", Rsqrt, Positive);
  function("sin", Sin);
  function("cos", Cos);
  function("erf", Erf);
  function("tanh", Tanh);
  function("sigmoid", Sigmoid);
  function("relu", Relu);
  function("silu", Silu);
  function("abs", Abs);
  function("sign", Sign);
  function("is_finite", IsFinite);
  AddUnary(samples, "gelu", "exact: ", One([](Tensor x) { return Gelu(std::move(x)); }), AnySign);
  AddUnary(samples, "gelu",
           "tanh: ", One([](Tensor x) { return Gelu(std::move(x), GeluForm::kTanh); }), AnySign);
  AddUnary(samples, "clamp",
           "both: ", One([](Tensor x) { return Clamp(std::move(x), -0.05, 1.0); }),
           [](Draws& draws, const Shape& shape) { return draws.Distinct(shape, 0.171) + 0.03; });
  AddUnary(samples, "clamp", "min: ", One([](Tensor x) { return Clamp(std::move(x), 0.0); }),
           AnySign);
  AddUnary(samples, "clamp",
           "max: ", One([](Tensor x) { return Clamp(std::move(x), std::nullopt, 0.0); }), AnySign);
}

void AddComparisons(std::vector<Sample>& samples) {
  using Compare = Tensor (*)(Tensor, Tensor);
  const std::pair<const char*, Compare> comparisons[] = {
      {"equal", Equal},          {"not_equal", NotEqual}, {"less", Less},
      {"less_equal", LessEqual}, {"greater", Greater},    {"greater_equal", GreaterEqual}};
  Draws draws(13);
  for (const auto& [op, fn] : comparisons) {
    AddBinary(samples, op, Two(fn), AnySign);
    samples.push_back({.op = op,
                       .name = "integers",
                       .inputs = {draws.Integers({4, 3}, 0, 3), draws.Integers({3}, 0, 3)},
                       .call = Two(fn)});
  }
  const std::pair<const char*, Compare> logic[] = {{"logical_and", LogicalAnd},
                                                   {"logical_or", LogicalOr}};
  for (const auto& [op, fn] : logic) {
    samples.push_back({.op = op,
                       .name = "broadcast",
                       .inputs = {draws.Bools({4, 3}), draws.Bools({3})},
                       .call = Two(fn)});
    samples.push_back({.op = op,
                       .name = "same shape",
                       .inputs = {draws.Bools({4, 3}), StoredTransposed(draws.Bools({4, 3}))},
                       .call = Two(fn)});
  }
  for (const Shape& shape : {Shape{2, 3}, Shape{}, Shape{0}, kLarge}) {
    samples.push_back({.op = "logical_not",
                       .name = shape.ToString(),
                       .inputs = {draws.Bools(shape)},
                       .call = One(LogicalNot),
                       .large = shape == kLarge});
  }
}

void AddChoices(std::vector<Sample>& samples) {
  Draws draws(14);
  const auto where = [&](const char* name, const Shape& c, const Shape& a, const Shape& b,
                         bool large = false) {
    using Choose = Tensor (*)(Tensor, Tensor, Tensor);
    samples.push_back({.op = "where",
                       .name = name,
                       .inputs = {draws.Bools(c), draws.Normal(a), draws.Normal(b)},
                       .call = Three(Choose{Where}),
                       .large = large});
  };
  where("same shape", {2, 3}, {2, 3}, {2, 3});
  where("broadcast", {4, 1}, {1, 3}, {2, 4, 1});
  where("scalars", {}, {}, {2});
  where("empty", {0, 3}, {3}, {0, 1});
  where("large", kLarge, kLarge, {301}, true);
  const auto fill = [&](const char* name, const Shape& x, const Shape& mask, bool large = false) {
    samples.push_back({.op = "masked_fill",
                       .name = name,
                       .inputs = {draws.Normal(x), draws.Bools(mask)},
                       .call = Two([](Tensor a, Tensor b) {
                         return MaskedFill(std::move(a), std::move(b), 1.5);
                       }),
                       .large = large});
  };
  fill("same shape", {2, 3}, {2, 3});
  fill("mask broadcasts", {2, 4, 3}, {4, 1});
  fill("x broadcasts", {3}, {4, 3});
  fill("empty", {0}, {1});
  fill("large", kLarge, {301}, true);
  const auto drop = [&](const char* name, const Tensor& x, bool large = false) {
    const Tensor keep = DropoutMask(x.shape(), 0.3, draws.generator());
    samples.push_back(
        {.op = "dropout",
         .name = name,
         .inputs = {x},
         .call = One([keep](Tensor a) { return ApplyDropout(std::move(a), keep, 1 / 0.7); }),
         .large = large});
  };
  drop("matrix", draws.Normal({3, 4}));
  drop("stored transposed", StoredTransposed(draws.Normal({3, 4})));
  drop("scalar", draws.Normal({}));
  drop("empty", draws.Normal({0, 2}));
  drop("large", draws.Normal(kLarge), true);
}

// Casts to float32 and back are linear up to rounding, so wide steps are exact.
void AddCasts(std::vector<Sample>& samples) {
  const auto through = [](DType dtype) {
    return One([dtype](Tensor x) { return Cast(Cast(std::move(x), dtype), DType::kFloat64); });
  };
  Draws draws(15);
  const auto add = [&](const char* name, const Tensor& x, SampleFunction call, double eps,
                       double atol) {
    samples.push_back({.op = "cast",
                       .name = name,
                       .inputs = {x},
                       .call = call,
                       .gradcheck = {.eps = eps, .atol = atol}});
  };
  add("through float32", draws.Normal({2, 3}), through(DType::kFloat32), 0.5, 1e-6);
  add("through float32, stored apart", StoredApart(draws.Normal({2, 3})), through(DType::kFloat32),
      0.5, 1e-6);
  samples.push_back({.op = "cast",
                     .name = "integers to float64",
                     .inputs = {draws.Integers({2, 3}, -5, 5)},
                     .call = One([](Tensor x) { return Cast(std::move(x), DType::kFloat64); })});
  samples.push_back({.op = "cast",
                     .name = "float64 to bool",
                     .inputs = {draws.Normal({2, 3})},
                     .call = One([](Tensor x) { return Cast(std::move(x), DType::kBool); })});
  samples.push_back({.op = "cast",
                     .name = "bfloat16 to float32",
                     .inputs = {Cast(draws.Normal(kLarge), DType::kBFloat16)},
                     .call = One([](Tensor x) { return Cast(std::move(x), DType::kFloat32); }),
                     .large = true});
}

}  // namespace

std::vector<Sample> PointwiseSamples() {
  std::vector<Sample> samples;
  AddArithmetic(samples);
  AddFunctions(samples);
  AddComparisons(samples);
  AddChoices(samples);
  AddCasts(samples);
  return samples;
}

}  // namespace lemma::every_op
