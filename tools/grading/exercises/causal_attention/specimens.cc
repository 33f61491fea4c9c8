// Correct solutions of the exercise, each by another way, and solutions with known mistakes. They
// are written as learners write, without the reference's help.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "autograd/ops/attention.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/in_place.h"
#include "tools/grading/exercises/causal_attention/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallCausalAttention;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using Function = Attention (*)(const Tensor& x, const Tensor& Wq, const Tensor& Wk,
                               const Tensor& Wv);

// --- correct ---

Attention InOps(const Tensor& x, const Tensor& Wq, const Tensor& Wk, const Tensor& Wv) {
  const Tensor q = MatMul(x, Wq), k = MatMul(x, Wk), v = MatMul(x, Wv);
  const Tensor scores = MatMul(q, Transpose(k, -2, -1)) / std::sqrt(q.size(-1));
  const Tensor hidden = Triu(Ones({x.size(1), x.size(1)}, DType::kBool), 1);
  const Tensor weights = Softmax(MaskedFill(scores, hidden, -INFINITY), -1);
  return {MatMul(weights, v), weights};
}

// Scalar loops in double.
Attention InLoops(const Tensor& x, const Tensor& Wq, const Tensor& Wk, const Tensor& Wv) {
  const int64_t B = x.size(0), T = x.size(1), C = x.size(2), D = Wq.size(1);
  const std::vector<float> xs = x.ToVector<float>();
  const auto project = [&](const Tensor& w) {
    const std::vector<float> ws = w.ToVector<float>();
    std::vector<double> y(B * T * D);
    for (int64_t n = 0; n < B * T; ++n) {
      for (int64_t d = 0; d < D; ++d) {
        for (int64_t c = 0; c < C; ++c) y[n * D + d] += double{xs[n * C + c]} * ws[c * D + d];
      }
    }
    return y;
  };
  const std::vector<double> q = project(Wq), k = project(Wk), v = project(Wv);
  std::vector<float> out(B * T * D), weights(B * T * T);
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t i = 0; i < T; ++i) {
      std::vector<double> s(i + 1), y(D);
      for (int64_t j = 0; j <= i; ++j) {
        for (int64_t d = 0; d < D; ++d) s[j] += q[(b * T + i) * D + d] * k[(b * T + j) * D + d];
        s[j] /= std::sqrt(static_cast<double>(D));
      }
      const double largest = *std::max_element(s.begin(), s.end());
      double sum = 0;
      for (double& score : s) sum += score = std::exp(score - largest);
      for (int64_t j = 0; j <= i; ++j) {
        weights[(b * T + i) * T + j] = static_cast<float>(s[j] / sum);
        for (int64_t d = 0; d < D; ++d) y[d] += s[j] / sum * v[(b * T + j) * D + d];
      }
      for (int64_t d = 0; d < D; ++d) out[(b * T + i) * D + d] = static_cast<float>(y[d]);
    }
  }
  return {FromVector(out, {B, T, D}), FromVector(weights, {B, T, T})};
}

// The fused kernel for the output; its weights are its output where the values are unit vectors.
Attention Fused(const Tensor& x, const Tensor& Wq, const Tensor& Wk, const Tensor& Wv) {
  const Tensor q = MatMul(x, Wq), k = MatMul(x, Wk);
  const int64_t T = x.size(1);
  const Tensor units = Contiguous(Expand(Eye(T), {x.size(0), T, T}));
  const AttentionOptions causal = {.causal = true};
  return {ScaledDotProductAttention(q, k, MatMul(x, Wv), causal),
          ScaledDotProductAttention(q, k, units, causal)};
}

// One key after the other, with running maximum and sum (online softmax).
Attention Online(const Tensor& x, const Tensor& Wq, const Tensor& Wk, const Tensor& Wv) {
  const Tensor scale = Scalar(1 / std::sqrt(static_cast<double>(Wq.size(1))));
  const Tensor q = MatMul(x, Wq) * scale, k = MatMul(x, Wk), v = MatMul(x, Wv);
  const int64_t B = x.size(0), T = x.size(1);
  std::vector<Tensor> outs, rows;
  for (int64_t i = 0; i < T; ++i) {
    Tensor top = Full({B, 1}, -INFINITY), sum = Zeros({B, 1}), y = Zeros({B, v.size(2)});
    Tensor row = Zeros({B, T});
    for (int64_t j = 0; j <= i; ++j) {
      const Tensor s = Sum(Select(q, 1, i) * Select(k, 1, j), {-1}, true);
      const Tensor next = Where(Greater(s, top), s, top);
      const Tensor shrink = Exp(top - next), p = Exp(s - next);
      sum = sum * shrink + p;
      y = y * shrink + p * Select(v, 1, j);
      row = row * shrink + PadSlice(p, {B, T}, 1, j);
      top = next;
    }
    outs.push_back(y / sum);
    rows.push_back(row / sum);
  }
  return {Stack(outs, 1), Stack(rows, 1)};
}

// Only the keys that a query sees, row by row: no mask at all.
Attention Prefixes(const Tensor& x, const Tensor& Wq, const Tensor& Wk, const Tensor& Wv) {
  const Tensor q = MatMul(x, Wq), k = MatMul(x, Wk), v = MatMul(x, Wv);
  const int64_t B = x.size(0), T = x.size(1);
  std::vector<Tensor> outs, rows;
  for (int64_t i = 0; i < T; ++i) {
    const Tensor s = MatMul(Slice(q, 1, i, i + 1), Transpose(Slice(k, 1, 0, i + 1), 1, 2));
    const Tensor a = Softmax(s * std::pow(q.size(2), -0.5), 2);
    outs.push_back(MatMul(a, Slice(v, 1, 0, i + 1)));
    rows.push_back(PadSlice(a, {B, 1, T}, 2, 0));
  }
  return {Concat(outs, 1), Concat(rows, 1)};
}

// --- mistaken ---

// What the mistaken ones share, so that each shows its mistake alone.
struct Parts {
  Tensor x, q, k, v;
  int64_t B, T, C, D;
  Tensor scores;  // (B, T, T), divided as they should be
  Tensor future;  // (T, T), true above the diagonal
};

Tensor Products(const Tensor& q, const Tensor& k) { return MatMul(q, Transpose(k, -2, -1)); }
double Root(int64_t n) { return std::sqrt(static_cast<double>(n)); }
Tensor Above(int64_t t, int64_t diagonal) { return Triu(Ones({t, t}, DType::kBool), diagonal); }
Tensor Hide(const Tensor& s, double with = -INFINITY) {
  return MaskedFill(s, Above(s.size(-1), 1), with);
}
Tensor Keep(const Tensor& a) { return Tril(a); }

Attention Finish(const Tensor& weights, const Tensor& v) { return {MatMul(weights, v), weights}; }
Attention Attend(const Tensor& q, const Tensor& k, const Tensor& v) {
  return Finish(Softmax(Hide(Products(q, k) / Root(q.size(-1))), -1), v);
}
Attention Divided(const Parts& p, double divisor) {
  return Finish(Softmax(Hide(Products(p.q, p.k) / divisor), -1), p.v);
}
Attention Masked(const Parts& p, const Tensor& hidden) {
  return Finish(Softmax(MaskedFill(p.scores, hidden, -INFINITY), -1), p.v);
}
Tensor Right(const Parts& p) { return Softmax(Hide(p.scores), -1); }

template <typename F>
Callable Mistaken(F f) {
  return [f](const Values& in) {
    return CallCausalAttention(
        [f](const Tensor& x, const Tensor& Wq, const Tensor& Wk, const Tensor& Wv) -> Attention {
          Parts p = {x,
                     MatMul(x, Wq),
                     MatMul(x, Wk),
                     MatMul(x, Wv),
                     x.size(0),
                     x.size(1),
                     x.size(2),
                     Wq.size(1),
                     {},
                     {}};
          p.scores = Products(p.q, p.k) / Root(p.D);
          p.future = Above(p.T, 1);
          return f(p);
        },
        in);
  };
}

Callable Bound(Function function) {
  return [function](const Values& in) { return CallCausalAttention(function, in); };
}

template <typename F>
Specimen Wrong(const char* name, std::vector<std::string> expected, F f) {
  return {name, Mistaken(f), std::move(expected)};
}

std::vector<Specimen> MistakenRoles() {
  return {
      Wrong("scores_transposed", {"roles/query_key_swapped"},
            [](const Parts& p) { return Attend(p.k, p.q, p.v); }),
      Wrong("keys_for_queries", {"roles/keys_twice"},
            [](const Parts& p) { return Attend(p.k, p.k, p.v); }),
      Wrong("queries_for_keys", {"roles/queries_twice"},
            [](const Parts& p) { return Attend(p.q, p.q, p.v); }),
      Wrong("keys_for_values", {"roles/values_from_keys"},
            [](const Parts& p) { return Attend(p.q, p.k, p.k); }),
      Wrong("queries_for_values", {"roles/values_from_queries"},
            [](const Parts& p) { return Attend(p.q, p.k, p.q); }),
      Wrong("keys_and_values_swapped", {"roles/key_value_swapped"},
            [](const Parts& p) { return Attend(p.q, p.v, p.k); }),
      Wrong("queries_and_values_swapped", {"roles/query_value_swapped"},
            [](const Parts& p) { return Attend(p.v, p.k, p.q); }),
      Wrong("scores_from_values", {"roles/scores_from_values"},
            [](const Parts& p) { return Attend(p.q, p.v, p.v); }),
      Wrong("unpacked_in_the_wrong_order", {"roles/rotated"},
            [](const Parts& p) { return Attend(p.k, p.v, p.q); }),
  };
}

std::vector<Specimen> MistakenScales() {
  return {
      Wrong("not_scaled", {"scale/none"}, [](const Parts& p) { return Divided(p, 1); }),
      Wrong("scaled_by_the_width", {"scale/width"},
            [](const Parts& p) { return Divided(p, Root(p.C)); }),
      Wrong("scaled_by_the_width_without_root", {"scale/width_no_root"},
            [](const Parts& p) { return Divided(p, static_cast<double>(p.C)); }),
      Wrong("scaled_without_root", {"scale/no_root"},
            [](const Parts& p) { return Divided(p, static_cast<double>(p.D)); }),
      Wrong("queries_and_keys_both_scaled", {"scale/no_root"},
            [](const Parts& p) {
              return Finish(Softmax(Hide(Products(p.q / Root(p.D), p.k / Root(p.D))), -1), p.v);
            }),
      Wrong("multiplied_by_the_root", {"scale/multiplied"},
            [](const Parts& p) { return Divided(p, 1 / Root(p.D)); }),
      Wrong("multiplied_by_the_head_width", {"scale/multiplied_no_root"},
            [](const Parts& p) { return Divided(p, 1.0 / static_cast<double>(p.D)); }),
      Wrong("scaled_by_the_time", {"scale/time"},
            [](const Parts& p) { return Divided(p, Root(p.scores.size(-1))); }),
      Wrong("only_the_queries_scaled_by_half", {"scale/fourth_root"},
            [](const Parts& p) {
              return Finish(Softmax(Hide(Products(p.q * std::pow(p.D, -0.25), p.k)), -1), p.v);
            }),
      Wrong("weights_scaled", {"scale/after_softmax"},
            [](const Parts& p) {
              return Finish(Softmax(Hide(Products(p.q, p.k)), -1) / Root(p.D), p.v);
            }),
      Wrong("scaled_by_eight_always", {"scale/other"},
            [](const Parts& p) { return Divided(p, 8); }),
      Wrong("scaled_by_root_of_twice_the_width", {"scale/other"},
            [](const Parts& p) { return Divided(p, Root(2 * p.D)); }),
  };
}

std::vector<Specimen> MistakenMasks() {
  return {
      Wrong("not_masked", {"mask/none"},
            [](const Parts& p) { return Finish(Softmax(p.scores, -1), p.v); }),
      Wrong("diagonal_hidden", {"mask/strict"},
            [](const Parts& p) { return Masked(p, Above(p.T, 0)); }),
      Wrong("next_token_visible", {"mask/one_ahead"},
            [](const Parts& p) { return Masked(p, Above(p.T, 2)); }),
      Wrong("past_hidden", {"mask/reversed"},
            [](const Parts& p) { return Masked(p, Transpose(p.future, 0, 1)); }),
      Wrong("mask_inverted", {"mask/inverted"},
            [](const Parts& p) { return Masked(p, LogicalNot(p.future)); }),
      Wrong("hidden_scores_zero", {"mask/zero_scores"},
            [](const Parts& p) { return Finish(Softmax(Keep(p.scores), -1), p.v); }),
      Wrong("ones_added", {"mask/ones_added"},
            [](const Parts& p) {
              return Finish(Softmax(p.scores + Triu(Ones({p.T, p.T}), 1), -1), p.v);
            }),
      Wrong("masked_after", {"mask/after"},
            [](const Parts& p) { return Finish(Keep(Softmax(p.scores, -1)), p.v); }),
      Wrong("masked_after_and_renormalised", {"mask/after_renormalised"},
            [](const Parts& p) {
              const Tensor kept = Keep(Softmax(p.scores, -1));
              return Finish(kept / Sum(kept, {-1}, true), p.v);
            }),
      Wrong("filled_with_minus_ten_thousand", {"fill/ten_thousand"},
            [](const Parts& p) { return Finish(Softmax(Hide(p.scores, -1e4), -1), p.v); }),
      Wrong("minus_ten_thousand_added", {"fill/added"},
            [](const Parts& p) {
              return Finish(Softmax(p.scores + Triu(Full({p.T, p.T}, -1e4), 1), -1), p.v);
            }),
      Wrong("filled_with_minus_hundred", {"fill/hundred"},
            [](const Parts& p) { return Finish(Softmax(Hide(p.scores, -100), -1), p.v); }),
      Wrong("filled_with_minus_ten", {"fill/ten"},
            [](const Parts& p) { return Finish(Softmax(Hide(p.scores, -10), -1), p.v); }),
      Wrong("filled_with_minus_one", {"fill/one"},
            [](const Parts& p) { return Finish(Softmax(Hide(p.scores, -1), -1), p.v); }),
      Wrong("filled_with_minus_three", {"fill/other"},
            [](const Parts& p) { return Finish(Softmax(Hide(p.scores, -3), -1), p.v); }),
      Wrong("filled_with_the_smallest_positive", {"mask/zero_scores"},
            [](const Parts& p) {
              return Finish(Softmax(Hide(p.scores, std::numeric_limits<float>::min()), -1), p.v);
            }),
      // Right to rounding everywhere: only bits tell.
      Wrong(
          "log_softmax_masked_and_normalised_again", {"causality"},
          [](const Parts& p) { return Finish(Softmax(Hide(LogSoftmax(p.scores, -1)), -1), p.v); }),
      Wrong("mask_of_16_positions", {"long"},
            [](const Parts& p) {
              const Tensor future = Above(16, 1);
              return Masked(p, Slice(Slice(future, 0, 0, p.T), 1, 0, p.T));
            }),
  };
}

std::vector<Specimen> MistakenSoftmaxes() {
  return {
      Wrong("no_softmax", {"softmax/none"},
            [](const Parts& p) { return Finish(Hide(p.scores), p.v); }),
      Wrong("softmax_over_queries", {"softmax/queries"},
            [](const Parts& p) { return Finish(Softmax(Hide(p.scores), 1), p.v); }),
      Wrong("softmax_over_the_batch", {"softmax/batch"},
            [](const Parts& p) { return Finish(Softmax(Hide(p.scores), 0), p.v); }),
      Wrong("sigmoid", {"softmax/sigmoid"},
            [](const Parts& p) { return Finish(1.0 / (Exp(-Hide(p.scores)) + 1.0), p.v); }),
      Wrong("log_softmax", {"softmax/log"},
            [](const Parts& p) { return Finish(LogSoftmax(Hide(p.scores), -1), p.v); }),
      Wrong("softmax_twice", {"softmax/twice"},
            [](const Parts& p) { return Finish(Softmax(Right(p), -1), p.v); }),
      Wrong("exponential_overflows", {"softmax/unstable"},
            [](const Parts& p) {
              const Tensor e = Keep(Exp(p.scores));
              return Finish(e / Sum(e, {-1}, true), p.v);
            }),
      Wrong("not_divided_by_the_sum", {"softmax/not_normalised"},
            [](const Parts& p) {
              const Tensor hidden = Hide(p.scores);
              return Finish(Exp(hidden - AMax(hidden, {-1}, true)), p.v);
            }),
      Wrong("powers_of_two", {"softmax/base_two"},
            [](const Parts& p) {
              const Tensor s = Hide(p.scores);
              const Tensor e = Exp((s - AMax(s, {-1}, true)) * std::log(2.0));
              return Finish(e / Sum(e, {-1}, true), p.v);
            }),
      Wrong("largest_takes_all", {"softmax/hardest"},
            [](const Parts& p) { return Finish(Softmax(Hide(p.scores) * 1e9, -1), p.v); }),
      Wrong("softmax_over_everything", {"softmax/flattened"},
            [](const Parts& p) {
              const Tensor flat = Reshape(Hide(p.scores), {p.B, p.T * p.T});
              return Finish(Reshape(Softmax(flat, -1), {p.B, p.T, p.T}), p.v);
            }),
      Wrong("small_weights_dropped", {"positive"},
            [](const Parts& p) {
              const Tensor a = Right(p);
              return Finish(MaskedFill(a, Less(a, 1e-6), 0), p.v);
            }),
  };
}

std::vector<Specimen> MistakenMixes() {
  return {
      Wrong("weights_transposed", {"mix/weights_transposed"},
            [](const Parts& p) -> Attention {
              const Tensor a = Right(p);
              return {MatMul(Transpose(a, 1, 2), p.v), a};
            }),
      Wrong("inputs_mixed", {"mix/inputs"}, [](const Parts& p) { return Finish(Right(p), p.x); }),
      Wrong("values_added", {"mix/values_added"},
            [](const Parts& p) -> Attention {
              return {MatMul(Right(p), p.v) + p.v, Right(p)};
            }),
      Wrong("averaged", {"mix/averaged"},
            [](const Parts& p) -> Attention {
              return {MatMul(Right(p), p.v) * (1.0 / static_cast<double>(p.T)), Right(p)};
            }),
      Wrong("values_returned", {"mix/values_only"},
            [](const Parts& p) -> Attention {
              return {p.v, Right(p)};
            }),
      Wrong("scores_returned", {"returned/scores"},
            [](const Parts& p) -> Attention {
              return {MatMul(Right(p), p.v), p.scores};
            }),
      Wrong("masked_scores_returned", {"returned/masked_scores"},
            [](const Parts& p) -> Attention {
              return {MatMul(Right(p), p.v), Hide(p.scores)};
            }),
      Wrong("unmasked_weights_returned", {"returned/unmasked"},
            [](const Parts& p) -> Attention {
              return {MatMul(Right(p), p.v), Softmax(p.scores, -1)};
            }),
      Wrong("transposed_weights_returned", {"returned/transposed"},
            [](const Parts& p) -> Attention {
              return {MatMul(Right(p), p.v), Transpose(Right(p), 1, 2)};
            }),
  };
}

std::vector<Specimen> MistakenTwice() {
  return {
      Wrong("neither_scaled_nor_masked", {"scale/none", "mask/none"},
            [](const Parts& p) { return Finish(Softmax(Products(p.q, p.k), -1), p.v); }),
      Wrong("by_the_width_and_masked_after", {"scale/width", "mask/after"},
            [](const Parts& p) {
              return Finish(Keep(Softmax(Products(p.q, p.k) / Root(p.C), -1)), p.v);
            }),
      Wrong("transposed_and_not_scaled", {"roles/query_key_swapped", "scale/none"},
            [](const Parts& p) { return Finish(Softmax(Hide(Products(p.k, p.q)), -1), p.v); }),
      Wrong("over_queries_and_not_masked", {"mask/none", "softmax/queries"},
            [](const Parts& p) { return Finish(Softmax(p.scores, -2), p.v); }),
      Wrong("diagonal_hidden_with_minus_ten", {"mask/strict", "fill/ten"},
            [](const Parts& p) {
              return Finish(Softmax(MaskedFill(p.scores, Above(p.T, 0), -10), -1), p.v);
            }),
      Wrong("swapped_values_and_returned_scores", {"roles/key_value_swapped", "returned/scores"},
            [](const Parts& p) -> Attention {
              return {Attend(p.q, p.v, p.k).out, Products(p.q, p.v) / Root(p.D)};
            }),
  };
}

// What no setting of the reference describes: a check names it.
std::vector<Specimen> MistakenContracts() {
  return {
      Wrong("float64_returned", {"shapes"},
            [](const Parts& p) -> Attention {
              const Attention right = Finish(Right(p), p.v);
              return {Cast(right.out, DType::kFloat64), Cast(right.weights, DType::kFloat64)};
            }),
      Wrong("time_before_batch", {"shapes"},
            [](const Parts& p) -> Attention {
              return {Transpose(MatMul(Right(p), p.v), 0, 1), Right(p)};
            }),
      Wrong("first_sample_only", {"shapes"},
            [](const Parts& p) -> Attention {
              return {Select(MatMul(Right(p), p.v), 0, 0), Select(Right(p), 0, 0)};
            }),
      Wrong("noise_added", {"deterministic"},
            [](const Parts& p) {
              static std::atomic<int> calls = 0;
              return Finish(Right(p) * (1 + 1e-6 * (++calls % 7)), p.v);
            }),
      Wrong("unsteady", {"deterministic"},
            [](const Parts& p) {
              return Finish(Right(p) * lemma::tools::grading::UnsteadyOne(), p.v);
            }),
      Wrong("writes_its_inputs", {"clean"},
            [](const Parts& p) {
              const Attention right = Finish(Right(p), p.v);
              Tensor x = p.x;
              Fill(x, 0);
              return right;
            }),
      Wrong("leaves_a_thread", {"clean"},
            [](const Parts& p) {
              std::thread([] { std::this_thread::sleep_for(std::chrono::seconds(30)); }).detach();
              return Finish(Right(p), p.v);
            }),
      Wrong("squeezes_the_batch", {"one_sample"},
            [](const Parts& p) -> Attention {
              const Tensor out = MatMul(Right(p), p.v);
              return {p.B == 1 ? Squeeze(out, 0) : out, p.B == 1 ? Squeeze(Right(p), 0) : Right(p)};
            }),
      Wrong("squeezes_the_time", {"one_position"},
            [](const Parts& p) -> Attention {
              const Tensor out = MatMul(Right(p), p.v);
              return {p.T == 1 ? Squeeze(out, 1) : out, Right(p)};
            }),
      Wrong("faint_weights_above_the_diagonal", {"triangular"},
            [](const Parts& p) -> Attention {
              return {MatMul(Right(p), p.v), Right(p) + Triu(Full({p.T, p.T}, 1e-9), 1)};
            }),
  };
}

std::vector<Specimen> AllMistaken() {
  std::vector<Specimen> all;
  for (const auto& part : {MistakenRoles(), MistakenScales(), MistakenMasks(), MistakenSoftmaxes(),
                           MistakenMixes(), MistakenTwice(), MistakenContracts()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

const Specimens kSpecimens("causal_attention",
                           {{"in_ops", Bound(InOps)},
                            {"in_loops_of_doubles", Bound(InLoops)},
                            {"fused", Bound(Fused)},
                            {"online_softmax", Bound(Online)},
                            {"prefixes_without_a_mask", Bound(Prefixes)}},
                           AllMistaken());

}  // namespace
}  // namespace homework
