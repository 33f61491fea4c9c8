#include "nn/attention.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/views.h"
#include "nn/init.h"

namespace lemma::nn {
namespace {

void CheckHeads(const char* type, int64_t width, int64_t heads) {
  if (heads <= 0 || width <= 0 || width % heads != 0) {
    Fail(type, "the width ", width, " must be a multiple of the ", heads, " heads");
  }
}

// (B, T, C) -> (B, H, T, D), a view.
Tensor SplitHeads(const Tensor& x, int64_t heads) {
  const int64_t width = x.size(2) / heads;
  return Transpose(Reshape(x, {x.size(0), x.size(1), heads, width}), 1, 2);
}

// (B, H, T, D) -> (B, T, C).
Tensor MergeHeads(const Tensor& x) {
  return Reshape(Transpose(x, 1, 2), {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

AttentionOptions WithDropout(Dropout& dropout, const Shape& weights, bool causal) {
  AttentionOptions options{.causal = causal};
  if (!dropout.IsActive()) return options;
  options.keep = dropout.Mask(weights);
  options.keep_scale = dropout.scale();
  return options;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const MultiHeadAttentionOptions& options,
                                       Generator& generator)
    : q_proj({options.in, options.out, options.qkv_bias, options.compute_dtype}, generator),
      k_proj({options.in, options.out, options.qkv_bias, options.compute_dtype}, generator),
      v_proj({options.in, options.out, options.qkv_bias, options.compute_dtype}, generator),
      out_proj({options.out, options.out, options.out_bias, options.compute_dtype}, generator),
      dropout(options.dropout, options.dropout_generator),
      options_(options) {
  CheckHeads(type(), options.out, options.heads);
  Register("q_proj", q_proj);
  Register("k_proj", k_proj);
  Register("v_proj", v_proj);
  Register("out_proj", out_proj);
  Register("dropout", dropout);
}

Tensor MultiHeadAttention::Forward(Tensor x, Tensor source) {
  if (x.rank() != 3) Fail(type(), "x: it must be (B, T, in); it is ", x.shape().ToString());
  if (!source.defined()) source = x;
  const int64_t heads = options_.heads;
  const Tensor q = SplitHeads(q_proj(std::move(x)), heads);
  const Tensor k = SplitHeads(k_proj(source), heads);
  const Tensor v = SplitHeads(v_proj(std::move(source)), heads);
  const AttentionOptions attention =
      WithDropout(dropout, {q.size(0), heads, q.size(2), k.size(2)}, options_.causal);
  if (Observer::Current() == nullptr) {
    return out_proj(MergeHeads(ScaledDotProductAttention(q, k, v, attention)));
  }
  Tensor weights;
  const Tensor y = AttentionDefinition(q, k, v, attention, &weights);
  Report("weights", weights);
  return out_proj(MergeHeads(y));
}

CausalSelfAttention::CausalSelfAttention(const CausalSelfAttentionOptions& options,
                                         Generator& generator)
    : qkv({options.width, 3 * options.width, options.qkv_bias, options.compute_dtype}),
      proj({options.width, options.width, options.proj_bias, options.compute_dtype}),
      dropout(options.dropout, options.dropout_generator),
      options_(options) {
  CheckHeads(type(), options.width, options.heads);
  Register("qkv", qkv);
  Register("proj", proj);
  Register("dropout", dropout);
  DrawHeads(generator);
  init::LinearUniform(proj.weight, options.width, generator);
  if (proj.bias.defined()) init::LinearUniform(proj.bias, options.width, generator);
}

// Head by head the course makes a Linear for key, query and value: a weight, then a bias.
void CausalSelfAttention::DrawHeads(Generator& generator) {
  const NoGrad no_grad;
  const int64_t head_width = options_.width / options_.heads;
  std::vector<RowView> weights, biases;
  const auto draw = [&](std::string name, int64_t begin, Tensor& matrix,
                        std::vector<RowView>& views) {
    if (!matrix.defined()) return;
    Tensor rows = Slice(matrix, 0, begin, begin + head_width);
    init::LinearUniform(rows, options_.width, generator);
    views.push_back({std::move(name), begin, begin + head_width});
  };
  for (int64_t h = 0; h < options_.heads; ++h) {
    for (const auto& [part, index] : {std::pair("key", 1), {"query", 0}, {"value", 2}}) {
      const std::string name = absl::StrCat("heads.", h, ".", part);
      const int64_t begin = index * options_.width + h * head_width;
      draw(absl::StrCat(name, ".weight"), begin, qkv.weight, weights);
      draw(absl::StrCat(name, ".bias"), begin, qkv.bias, biases);
    }
  }
  ListRowViews("qkv.weight", std::move(weights));
  if (qkv.bias.defined()) ListRowViews("qkv.bias", std::move(biases));
}

Tensor CausalSelfAttention::Forward(Tensor x, KvCache* cache) {
  const int64_t heads = options_.heads;
  if (x.rank() != 3 || x.size(2) != options_.width) {
    Fail(type(), "x: it must be (B, T, ", options_.width, "); it is ", x.shape().ToString());
  }
  const int64_t b = x.size(0), t = x.size(1), c = options_.width;
  Tensor packed = qkv(std::move(x));  // (B, T, 3C)
  const bool observed = Observer::Current() != nullptr;
  if (cache != nullptr && !observed && !dropout.IsActive()) {
    return proj(cache->Attend(packed, heads));
  }
  if (cache == nullptr && !observed) {
    const AttentionOptions attention = WithDropout(dropout, {b, heads, t, t}, /*causal=*/true);
    return proj(PackedAttention(std::move(packed), heads, attention));
  }
  const Tensor parts = Permute(Reshape(std::move(packed), {b, t, 3, heads, c / heads}),
                               {2, 0, 3, 1, 4});  // (3, B, H, T, D)
  const Tensor q = Select(parts, 0, 0);
  Tensor k = Select(parts, 0, 1), v = Select(parts, 0, 2);
  if (cache != nullptr) {
    cache->Append(k, v);
    k = cache->keys();
    v = cache->values();
  }
  const AttentionOptions attention =
      WithDropout(dropout, {b, heads, t, k.size(2)}, /*causal=*/true);
  if (!observed) {
    return proj(MergeHeads(ScaledDotProductAttention(q, k, v, attention)));
  }
  Tensor weights;
  const Tensor y = AttentionDefinition(q, k, v, attention, &weights);
  Report("weights", weights);
  return proj(MergeHeads(y));
}

}  // namespace lemma::nn
