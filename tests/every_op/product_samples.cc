#include "autograd/create.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/join.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/linear_cross_entropy.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/mixed_linear.h"
#include "autograd/ops/views.h"
#include "tests/every_op/sample.h"

namespace lemma::every_op {
namespace {

void AddMatrixProducts(std::vector<Sample>& samples) {
  Draws draws(41);
  const auto matmul = [&](const char* name, const Tensor& a, const Tensor& b, bool large = false) {
    samples.push_back(
        {.op = "matmul",
         .name = name,
         .inputs = {a, b},
         .call = Two([](Tensor x, Tensor y) { return MatMul(std::move(x), std::move(y)); }),
         .bfloat16_tolerance = 0.03,
         .large = large});
  };
  matmul("matrices", draws.Normal({2, 3}), draws.Normal({3, 4}));
  matmul("stored transposed", StoredTransposed(draws.Normal({2, 3})),
         StoredTransposed(draws.Normal({3, 4})));
  matmul("stored apart", StoredApart(draws.Normal({2, 3})), StoredApart(draws.Normal({3, 4})));
  matmul("vectors", draws.Normal({3}), draws.Normal({3}));
  matmul("vector and matrix", draws.Normal({3}), draws.Normal({3, 2}));
  matmul("matrix and vector", draws.Normal({2, 3}), draws.Normal({3}));
  matmul("batch", draws.Normal({2, 2, 3}), draws.Normal({2, 3, 2}));
  matmul("batch and matrix", draws.Normal({2, 2, 3}), draws.Normal({3, 2}));
  matmul("stored transposed batch and matrix", StoredTransposed(draws.Normal({2, 2, 3})),
         draws.Normal({3, 2}));
  matmul("matrix and batch", draws.Normal({2, 3}), draws.Normal({2, 3, 2}));
  matmul("batches broadcast", draws.Normal({2, 1, 2, 3}), draws.Normal({3, 3, 2}));
  matmul("three batch dimensions", draws.Normal({2, 1, 2, 1, 2}), draws.Normal({1, 3, 1, 2, 2}));
  matmul("expanded batch", Expand(draws.Normal({1, 2, 3}), {2, 2, 3}), draws.Normal({2, 3, 2}));
  matmul("no rows", draws.Normal({0, 3}), draws.Normal({3, 2}));
  matmul("empty sum", draws.Normal({2, 0}), draws.Normal({0, 3}));
  matmul("empty sums of a batch", draws.Normal({2, 2, 0}), draws.Normal({0, 3}));
  matmul("no batch", draws.Normal({0, 2, 3}), draws.Normal({3, 2}));
  matmul("large", draws.Normal({200, 150}), draws.Normal({150, 130}), true);
  matmul("large batch", draws.Normal({3, 4, 70, 32}), draws.Normal({3, 4, 32, 70}), true);

  const auto linear = [&](const char* name, List inputs, bool large = false) {
    samples.push_back({.op = "linear",
                       .name = name,
                       .inputs = std::move(inputs),
                       .call = [](List in) -> List {
                         return {Linear(std::move(in[0]), std::move(in[1]),
                                        in.size() > 2 ? std::move(in[2]) : Tensor())};
                       },
                       .bfloat16_tolerance = 0.03,
                       .large = large});
  };
  linear("with bias", {draws.Normal({2, 3}), draws.Normal({4, 3}), draws.Normal({4})});
  linear("without bias", {draws.Normal({2, 3}), draws.Normal({4, 3})});
  linear("vector", {draws.Normal({3}), draws.Normal({4, 3}), draws.Normal({4})});
  linear("batch", {draws.Normal({2, 2, 3}), draws.Normal({2, 3}), draws.Normal({2})});
  linear("any strides", {StoredTransposed(draws.Normal({2, 3})),
                         StoredTransposed(draws.Normal({4, 3})), StoredApart(draws.Normal({4}))});
  linear("no rows", {draws.Normal({0, 3}), draws.Normal({4, 3}), draws.Normal({4})});
  linear("no columns", {draws.Normal({2, 0}), draws.Normal({4, 0}), draws.Normal({4})});
  linear("large", {draws.Normal({300, 128}), draws.Normal({130, 128}), draws.Normal({130})}, true);
}

void AddMixedProducts(std::vector<Sample>& samples) {
  Draws draws(45);
  const auto mixed = [&](const char* name, List inputs, bool large = false) {
    samples.push_back({.op = "mixed_linear",
                       .name = name,
                       .inputs = std::move(inputs),
                       .call = [](List in) -> List {
                         in.resize(3);
                         return {MixedLinear(std::move(in[0]), std::move(in[1]), std::move(in[2]))};
                       },
                       .float32_tolerance = 0.03,  // it rounds, as it says
                       .has_bfloat16 = false,
                       .large = large});
  };
  mixed("with bias", {draws.Normal({2, 3}), draws.Normal({4, 3}), draws.Normal({4})});
  mixed("without bias", {draws.Normal({2, 2, 3}), draws.Normal({4, 3})});
  mixed("vector", {draws.Normal({3}), draws.Normal({4, 3}), draws.Normal({4})});
  mixed("any strides", {StoredTransposed(draws.Normal({2, 3})),
                        StoredTransposed(draws.Normal({4, 3})), StoredApart(draws.Normal({4}))});
  mixed("no rows", {draws.Normal({0, 3}), draws.Normal({4, 3}), draws.Normal({4})});
  mixed("no columns", {draws.Normal({2, 0}), draws.Normal({4, 0}), draws.Normal({4})});
  mixed("large", {draws.Normal({300, 128}), draws.Normal({130, 128}), draws.Normal({130})}, true);
}

void AddLayerNorm(std::vector<Sample>& samples) {
  Draws draws(42);
  const auto add = [&](const char* name, List inputs, std::vector<int64_t> normalized,
                       bool large = false) {
    samples.push_back({.op = "layer_norm",
                       .name = name,
                       .inputs = std::move(inputs),
                       .call = [normalized](List in) -> List {
                         in.resize(3);
                         return {LayerNorm(std::move(in[0]), normalized, std::move(in[1]),
                                           std::move(in[2]), 1e-3)};
                       },
                       .float32_tolerance = 3e-5,
                       .bfloat16_tolerance = 0.05,
                       .large = large});
  };
  add("rows", {draws.Normal({2, 5}), draws.Normal({5}), draws.Normal({5})}, {5});
  add("without weight and bias", {draws.Normal({2, 5})}, {5});
  add("without weight", {draws.Normal({2, 5}), Tensor(), draws.Normal({5})}, {5});
  add("without bias", {draws.Normal({2, 5}), draws.Normal({5})}, {5});
  add("two dimensions", {draws.Normal({2, 2, 3}), draws.Normal({2, 3}), draws.Normal({2, 3})},
      {2, 3});
  add("any strides",
      {StoredTransposed(draws.Normal({2, 5})), StoredApart(draws.Normal({5})), draws.Normal({5})},
      {5});
  add("no rows", {draws.Normal({0, 5}), draws.Normal({5}), draws.Normal({5})}, {5});
  add("large", {draws.Normal({300, 301}), draws.Normal({301}), draws.Normal({301})}, {301}, true);
}

void AddLosses(std::vector<Sample>& samples) {
  Draws draws(43);
  const auto loss = [&](const std::string& name, const Tensor& logits, const Tensor& targets,
                        CrossEntropyOptions options, bool large = false) {
    samples.push_back({.op = "cross_entropy",
                       .name = name,
                       .inputs = {logits, targets},
                       .call = Two([options](Tensor x, Tensor y) {
                         return CrossEntropy(std::move(x), std::move(y), options);
                       }),
                       .large = large});
  };
  const auto fused = [&](const std::string& name, const Tensor& x, const Tensor& weight,
                         const Tensor& targets, CrossEntropyOptions options, bool large = false) {
    samples.push_back({.op = "linear_cross_entropy",
                       .name = name,
                       .inputs = {x, weight, targets},
                       .call = Three([options](Tensor a, Tensor b, Tensor c) {
                         return LinearCrossEntropy(std::move(a), std::move(b), std::move(c),
                                                   options);
                       }),
                       .has_bfloat16 = false,  // it is Linear and CrossEntropy there
                       .large = large});
  };
  const Tensor targets = FromValues<int64_t>({2, 0, -100, 3});
  for (const Reduction reduction : {Reduction::kMean, Reduction::kSum, Reduction::kNone}) {
    for (const double smoothing : {0.0, 0.1}) {
      const CrossEntropyOptions options{.reduction = reduction, .label_smoothing = smoothing};
      const std::string form = std::string(reduction == Reduction::kMean  ? "mean"
                                           : reduction == Reduction::kSum ? "sum"
                                                                          : "none") +
                               (smoothing > 0 ? ", smoothed" : "");
      loss(form, draws.Normal({4, 5}), targets, options);
      loss(form + ", large", draws.Normal({600, 65}), draws.Integers({600}, 0, 65), options, true);
      if (reduction == Reduction::kNone) continue;
      fused(form, draws.Normal({4, 3}), draws.Normal({5, 3}), targets, options);
      fused(form + ", large", draws.Normal({1100, 40}), draws.Normal({65, 40}),
            draws.Integers({1100}, 0, 65), options, true);
    }
  }
  loss("any strides", StoredTransposed(draws.Normal({4, 5})), targets, {});
  loss("one vector", draws.Normal({5}), Scalar(3, DType::kInt64), {});
  loss("more dimensions", draws.Normal({2, 3, 2}), draws.Integers({2, 2}, 0, 3), {});
  loss("sum of no rows", draws.Normal({0, 3}), draws.Integers({0}, 0, 3),
       {.reduction = Reduction::kSum});
  fused("any strides", StoredTransposed(draws.Normal({4, 3})), StoredApart(draws.Normal({5, 3})),
        targets, {});
  fused("sum of no rows", draws.Normal({0, 3}), draws.Normal({5, 3}), draws.Integers({0}, 0, 3),
        {.reduction = Reduction::kSum});
}

void AddAttention(std::vector<Sample>& samples) {
  Draws draws(44);
  const auto add = [&](const char* name, const Tensor& q, const Tensor& k, const Tensor& v,
                       AttentionOptions options, bool large = false) {
    samples.push_back({.op = "scaled_dot_product_attention",
                       .name = name,
                       .inputs = {q, k, v},
                       .call = Three([options](Tensor a, Tensor b, Tensor c) {
                         // A float mask has the type of q.
                         AttentionOptions converted = options;
                         if (options.mask.defined() && options.mask.dtype() != DType::kBool) {
                           converted.mask = CastKeepingStrides(options.mask, a.dtype());
                         }
                         return ScaledDotProductAttention(std::move(a), std::move(b), std::move(c),
                                                          converted);
                       }),
                       .float32_tolerance = 3e-5,
                       .bfloat16_tolerance = 0.05,
                       .large = large});
  };
  const auto qkv = [&](const Shape& shape) { return draws.Normal(shape); };
  add("causal", qkv({1, 2, 3, 2}), qkv({1, 2, 3, 2}), qkv({1, 2, 3, 2}), {.causal = true});
  add("matrices", qkv({3, 2}), qkv({4, 2}), qkv({4, 2}), {});
  add("rank 3", qkv({2, 3, 2}), qkv({2, 4, 2}), qkv({2, 4, 2}), {.scale = 0.3});
  add("causal, more keys", qkv({2, 2}), qkv({4, 2}), qkv({4, 2}), {.causal = true});
  add("causal, fewer keys: the first query sees none", qkv({3, 2}), qkv({2, 2}), qkv({2, 2}),
      {.causal = true});
  const Tensor hides_a_row =
      Concat({Tril(Ones({2, 4}, DType::kBool), 1), Zeros({1, 4}, DType::kBool)}, 0);  // (3, 4)
  add("bool mask, one row sees nothing", qkv({2, 3, 2}), qkv({2, 4, 2}), qkv({2, 4, 2}),
      {.mask = hides_a_row});
  add("float mask", qkv({2, 1, 3, 2}), qkv({2, 1, 4, 2}), qkv({2, 1, 4, 2}),
      {.mask = draws.Normal({3, 4})});
  add("dropout", qkv({2, 1, 3, 2}), qkv({2, 1, 3, 2}), qkv({2, 1, 3, 2}),
      {.causal = true,
       .keep = DropoutMask({2, 1, 3, 3}, 0.4, draws.generator()),
       .keep_scale = 1 / 0.6});
  add("any strides", StoredTransposed(qkv({1, 2, 3, 2})), StoredApart(qkv({1, 2, 3, 2})),
      StoredTransposed(qkv({1, 2, 3, 2})), {});
  add("no queries", qkv({0, 2}), qkv({4, 2}), qkv({4, 2}), {});
  add("large", qkv({2, 3, 130, 16}), qkv({2, 3, 130, 16}), qkv({2, 3, 130, 16}), {.causal = true},
      true);

  const auto packed = [&](const char* name, const Tensor& x, int64_t heads,
                          AttentionOptions options, bool large = false) {
    samples.push_back(
        {.op = "packed_attention",
         .name = name,
         .inputs = {x},
         .call = One([=](Tensor y) { return PackedAttention(std::move(y), heads, options); }),
         .float32_tolerance = 3e-5,
         .bfloat16_tolerance = 0.05,
         .large = large});
  };
  packed("causal", draws.Normal({1, 3, 12}), 2, {.causal = true});
  packed("stored transposed", StoredTransposed(draws.Normal({1, 3, 6})), 1, {});
  packed("scale", draws.Normal({2, 2, 6}), 2, {.causal = true, .scale = 0.7});
  packed("dropout", draws.Normal({1, 3, 12}), 2,
         {.causal = true,
          .keep = DropoutMask({1, 2, 3, 3}, 0.4, draws.generator()),
          .keep_scale = 1 / 0.6});
  packed("no batch", draws.Normal({0, 3, 6}), 1, {.causal = true});
  packed("large", draws.Normal({3, 130, 96}), 4, {.causal = true}, true);
}

}  // namespace

std::vector<Sample> ProductSamples() {
  std::vector<Sample> samples;
  AddMatrixProducts(samples);
  AddMixedProducts(samples);
  AddLayerNorm(samples);
  AddLosses(samples);
  AddAttention(samples);
  return samples;
}

}  // namespace lemma::every_op
