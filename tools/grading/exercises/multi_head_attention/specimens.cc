#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/ops/attention.h"
#include "tools/grading/exercises/multi_head_attention/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallMultiHeadAttention;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using Mha = MultiHeadAttention;

Callable Bound(std::function<Tensor(Mha&, const Tensor&)> function) {
  return [function](const Values& in) { return CallMultiHeadAttention(function, in); };
}

double Root(int64_t n) { return std::sqrt(static_cast<double>(n)); }
Tensor Above(int64_t t) { return Triu(Ones({t, t}, DType::kBool), 1); }
Tensor Hide(const Tensor& s) { return MaskedFill(s, Above(s.size(-1)), -INFINITY); }
Tensor Products(const Tensor& q, const Tensor& k) { return MatMul(q, Transpose(k, -2, -1)); }
Tensor SplitHeads(const Tensor& y, int64_t h) {
  return Transpose(Reshape(y, {y.size(0), y.size(1), h, y.size(2) / h}), 1, 2);
}
Tensor MergeHeads(const Tensor& y) {
  return Reshape(Transpose(y, 1, 2), {y.size(0), y.size(2), y.size(1) * y.size(3)});
}

// --- correct ---

Tensor InOps(Mha& layer, const Tensor& x) {
  const Tensor q = SplitHeads(layer.W_q(x), layer.heads), k = SplitHeads(layer.W_k(x), layer.heads);
  const Tensor weights = layer.dropout(Softmax(Hide(Products(q, k) / Root(q.size(-1))), -1));
  return layer.out_proj(MergeHeads(MatMul(weights, SplitHeads(layer.W_v(x), layer.heads))));
}

// A head after the other on its own columns; the dropout's mask is that of all heads.
Tensor HeadByHead(Mha& layer, const Tensor& x) {
  const std::vector<Tensor> q = Chunk(layer.W_q(x), layer.heads, 2);
  const std::vector<Tensor> k = Chunk(layer.W_k(x), layer.heads, 2);
  const std::vector<Tensor> v = Chunk(layer.W_v(x), layer.heads, 2);
  std::vector<Tensor> weights, outs;
  for (int64_t h = 0; h < layer.heads; ++h) {
    weights.push_back(Softmax(Hide(Products(q[h] / Root(q[h].size(2)), k[h])), 2));
  }
  const Tensor dropped = layer.dropout(Stack(weights, 1));
  for (int64_t h = 0; h < layer.heads; ++h) outs.push_back(MatMul(Select(dropped, 1, h), v[h]));
  return layer.out_proj(Concat(outs, 2));
}

Tensor Fused(Mha& layer, const Tensor& x) {
  const int64_t b = x.size(0), t = x.size(1);
  AttentionOptions options = {.causal = true};
  if (layer.dropout.IsActive()) {
    options.keep = layer.dropout.Mask({b, layer.heads, t, t});
    options.keep_scale = layer.dropout.scale();
  }
  const auto split = [&](const Tensor& y) { return SplitHeads(y, layer.heads); };
  return layer.out_proj(MergeHeads(ScaledDotProductAttention(
      split(layer.W_q(x)), split(layer.W_k(x)), split(layer.W_v(x)), options)));
}

// The projection as a sum over heads, each with its own columns of the weight.
Tensor SumOfHeads(Mha& layer, const Tensor& x) {
  const Tensor q = SplitHeads(layer.W_q(x), layer.heads), k = SplitHeads(layer.W_k(x), layer.heads);
  const Tensor v = SplitHeads(layer.W_v(x), layer.heads);
  const Tensor a = layer.dropout(Softmax(Hide(Products(q, k) * (1 / Root(q.size(3)))), 3));
  const std::vector<Tensor> w = Chunk(layer.out_proj.weight, layer.heads, 1);
  Tensor y;
  for (int64_t h = 0; h < layer.heads; ++h) {
    const Tensor part = Linear(MatMul(Select(a, 1, h), Select(v, 1, h)), w[h]);
    y = h == 0 ? part : y + part;
  }
  return y + layer.out_proj.bias;
}

// --- mistaken ---

// A solution in steps, one of which a mistake replaces.
struct Steps {
  std::function<Tensor(const Tensor&, int64_t)> split = SplitHeads;
  std::function<Tensor(const Tensor&)> merge = MergeHeads;
  std::function<Tensor(Mha&, const Tensor& q, const Tensor& k)> scores =
      [](Mha&, const Tensor& q, const Tensor& k) { return Products(q, k) / Root(q.size(-1)); };
  std::function<Tensor(const Tensor&)> hide = Hide;
  std::function<Tensor(const Tensor&)> softmax = [](const Tensor& s) { return Softmax(s, -1); };
  std::function<Tensor(Mha&, const Tensor&)> drop = [](Mha& l, const Tensor& a) {
    return l.dropout(a);
  };
  std::function<Tensor(Mha&, const Tensor&)> project = [](Mha& l, const Tensor& y) {
    return l.out_proj(y);
  };
  std::function<void(Tensor& q, Tensor& k, Tensor& v)> roles = [](Tensor&, Tensor&, Tensor&) {};
};

template <typename Change>
Specimen Wrong(const char* name, std::vector<std::string> expected, Change change) {
  Steps steps;
  change(steps);
  return {name, Bound([steps](Mha& l, const Tensor& x) {
            Tensor q = steps.split(l.W_q(x), l.heads), k = steps.split(l.W_k(x), l.heads);
            Tensor v = steps.split(l.W_v(x), l.heads);
            steps.roles(q, k, v);
            const Tensor a = steps.drop(l, steps.softmax(steps.hide(steps.scores(l, q, k))));
            return steps.project(l, steps.merge(MatMul(a, v)));
          }),
          std::move(expected)};
}

Specimen Scaled(const char* name, const char* id, double (*divisor)(Mha&, const Tensor& q)) {
  return Wrong(name, {id}, [divisor](Steps& s) {
    s.scores = [divisor](Mha& l, const Tensor& q, const Tensor& k) {
      return Products(q, k) / divisor(l, q);
    };
  });
}

std::vector<Specimen> Mistaken() {
  const auto interleave = [](const Tensor& y, int64_t h) {
    return Permute(Reshape(y, {y.size(0), y.size(1), y.size(2) / h, h}), {0, 3, 1, 2});
  };
  const auto merge_interleaved = [](const Tensor& y) {
    return Reshape(Permute(y, {0, 2, 3, 1}), {y.size(0), y.size(2), y.size(1) * y.size(3)});
  };
  const auto reshape_only = [](const Tensor& y, int64_t h) {
    return Reshape(y, {y.size(0), h, y.size(1), y.size(2) / h});
  };
  const auto merge_only = [](const Tensor& y) {
    return Reshape(y, {y.size(0), y.size(2), y.size(1) * y.size(3)});
  };
  return {
      Scaled("scaled_by_the_whole_width", "scale/width",
             [](Mha& l, const Tensor& q) { return Root(l.heads * q.size(-1)); }),
      Scaled("scaled_by_the_number_of_heads", "scale/heads",
             [](Mha& l, const Tensor&) { return Root(l.heads); }),
      Scaled("scaled_by_the_inputs_width", "scale/inputs",
             [](Mha& l, const Tensor&) { return Root(l.W_q.weight.size(1)); }),
      Scaled("not_scaled", "scale/none", [](Mha&, const Tensor&) { return 1.0; }),
      Scaled("scaled_without_root", "scale/no_root",
             [](Mha&, const Tensor& q) { return static_cast<double>(q.size(-1)); }),
      Scaled("scaled_by_the_time", "scale/time",
             [](Mha&, const Tensor& q) { return Root(q.size(2)); }),
      Scaled("scaled_by_a_constant", "scale/other", [](Mha&, const Tensor&) { return 3.3; }),
      Wrong("not_transposed_after_splitting", {"split/without_transposing"},
            [&](Steps& s) { s.split = reshape_only; }),
      Wrong("split_interleaved", {"split/interleaved"}, [&](Steps& s) { s.split = interleave; }),
      Wrong("not_transposed_before_merging", {"merge/without_transposing"},
            [&](Steps& s) { s.merge = merge_only; }),
      Wrong("merged_interleaved", {"merge/interleaved"},
            [&](Steps& s) { s.merge = merge_interleaved; }),
      Wrong("never_transposed", {"split/without_transposing", "merge/without_transposing"},
            [&](Steps& s) { s.split = reshape_only, s.merge = merge_only; }),
      Wrong("interleaved_heads", {"heads/interleaved"},
            [&](Steps& s) { s.split = interleave, s.merge = merge_interleaved; }),
      Wrong("heads_reversed", {"merge/reversed"},
            [](Steps& s) {
              s.merge = [](const Tensor& y) {
                std::vector<Tensor> parts;
                for (int64_t h = y.size(1); h-- > 0;) parts.push_back(Select(y, 1, h));
                return Concat(parts, 2);
              };
            }),
      Wrong("not_projected", {"projection/none"},
            [](Steps& s) { s.project = [](Mha&, const Tensor& y) { return y; }; }),
      Wrong("projected_without_bias", {"projection/no_bias"},
            [](Steps& s) {
              s.project = [](Mha& l, const Tensor& y) { return Linear(y, l.out_proj.weight); };
            }),
      Wrong("projected_with_the_transposed", {"projection/transposed"},
            [](Steps& s) {
              s.project = [](Mha& l, const Tensor& y) {
                return MatMul(y, l.out_proj.weight) + l.out_proj.bias;
              };
            }),
      Wrong("projected_twice", {"projection/twice"},
            [](Steps& s) {
              s.project = [](Mha& l, const Tensor& y) { return l.out_proj(l.out_proj(y)); };
            }),
      Wrong("no_dropout", {"dropout/never"},
            [](Steps& s) { s.drop = [](Mha&, const Tensor& a) { return a; }; }),
      Wrong("dropout_in_evaluation", {"dropout/always"},
            [](Steps& s) {
              s.drop = [](Mha& l, const Tensor& a) {
                l.dropout.Train();
                return l.dropout(a);
              };
            }),
      Wrong("dropout_of_the_output", {"dropout/output"},
            [](Steps& s) {
              s.drop = [](Mha&, const Tensor& a) { return a; };
              s.project = [](Mha& l, const Tensor& y) { return l.dropout(l.out_proj(y)); };
            }),
      Wrong("dropout_not_rescaled", {"dropout/not_rescaled"},
            [](Steps& s) {
              s.drop = [](Mha& l, const Tensor& a) {
                return l.dropout.IsActive() ? a * l.dropout.Mask(a.shape()) : a;
              };
            }),
      Wrong("not_masked", {"mask/none"},
            [](Steps& s) { s.hide = [](const Tensor& x) { return x; }; }),
      Wrong("diagonal_hidden", {"mask/strict"},
            [](Steps& s) {
              s.hide = [](const Tensor& x) {
                return MaskedFill(
                    x, LogicalNot(Tril(Ones({x.size(-1), x.size(-1)}, DType::kBool), -1)),
                    -INFINITY);
              };
            }),
      Wrong("masked_after_the_softmax", {"mask/after"},
            [](Steps& s) {
              s.hide = [](const Tensor& x) { return x; };
              s.softmax = [](const Tensor& x) { return Tril(Softmax(x, -1)); };
            }),
      Wrong("masked_after_and_renormalised", {"mask/after_renormalised"},
            [](Steps& s) {
              s.hide = [](const Tensor& x) { return x; };
              s.softmax = [](const Tensor& x) {
                const Tensor a = Tril(Softmax(x, -1));
                return a / Sum(a, {-1}, true);
              };
            }),
      Wrong("hidden_scores_zero", {"mask/zero_scores"},
            [](Steps& s) { s.hide = [](const Tensor& x) { return Tril(x); }; }),
      Wrong("softmax_over_queries", {"softmax/queries"},
            [](Steps& s) { s.softmax = [](const Tensor& x) { return Softmax(x, 2); }; }),
      Wrong("softmax_overflows", {"softmax/unstable"},
            [](Steps& s) {
              s.softmax = [](const Tensor& x) {
                const Tensor e = Exp(x);
                return e / Sum(e, {-1}, true);
              };
            }),
      Wrong("scores_transposed", {"roles/query_key_swapped"},
            [](Steps& s) { s.roles = [](Tensor& q, Tensor& k, Tensor&) { std::swap(q, k); }; }),
      Wrong("keys_and_values_swapped", {"roles/key_value_swapped"},
            [](Steps& s) { s.roles = [](Tensor&, Tensor& k, Tensor& v) { std::swap(k, v); }; }),
      Wrong("not_scaled_and_not_projected", {"scale/none", "projection/none"},
            [](Steps& s) {
              s.scores = [](Mha&, const Tensor& q, const Tensor& k) { return Products(q, k); };
              s.project = [](Mha&, const Tensor& y) { return y; };
            }),
      Wrong("log_softmax_masked_and_normalised_again", {"causality"},
            [](Steps& s) { s.hide = [](const Tensor& x) { return Hide(LogSoftmax(x, -1)); }; }),
      Wrong("mask_of_16_positions", {"long"},
            [](Steps& s) {
              s.hide = [](const Tensor& x) {
                const int64_t t = x.size(-1);
                return MaskedFill(x, Slice(Slice(Above(16), 0, 0, t), 1, 0, t), -INFINITY);
              };
            }),
      Wrong("squeezes_the_batch", {"one_sample"},
            [](Steps& s) {
              s.project = [](Mha& l, const Tensor& y) {
                const Tensor out = l.out_proj(y);
                return out.size(0) == 1 ? Squeeze(out, 0) : out;
              };
            }),
      Wrong("squeezes_the_time", {"one_position"},
            [](Steps& s) {
              s.project = [](Mha& l, const Tensor& y) {
                const Tensor out = l.out_proj(y);
                return out.size(1) == 1 ? Squeeze(out, 1) : out;
              };
            }),
      Wrong("unsteady", {"deterministic"},
            [](Steps& s) {
              s.project = [](Mha& l, const Tensor& y) {
                return l.out_proj(y) * lemma::tools::grading::UnsteadyOne();
              };
            }),
      Wrong("writes_its_weights", {"clean"},
            [](Steps& s) {
              s.project = [](Mha& l, const Tensor& y) {
                const Tensor out = l.out_proj(y);
                *l.out_proj.bias.mutable_data<float>() += 1e-6f;
                return out;
              };
            }),
      Wrong("in_float64", {"shapes"},
            [](Steps& s) {
              s.project = [](Mha& l, const Tensor& y) {
                return lemma::tools::grading::InFloat64(l.out_proj(y));
              };
            }),
      Wrong("heads_not_merged", {"shapes"},
            [](Steps& s) {
              s.project = [](Mha& l, const Tensor& y) {
                const Tensor out = l.out_proj(y);
                return Reshape(out, {out.size(0), out.size(1), l.heads, out.size(2) / l.heads});
              };
            }),
  };
}

const Specimens kSpecimens("multi_head_attention",
                           {{"in_ops", Bound(InOps)},
                            {"head_by_head", Bound(HeadByHead)},
                            {"fused", Bound(Fused)},
                            {"sum_of_heads", Bound(SumOfHeads)}},
                           Mistaken());

}  // namespace
}  // namespace homework
