#include "tools/grading/attention_knobs.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"

namespace lemma::tools::grading {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Which of q, k and v stands where.
AttentionProjections WithRoles(AttentionProjections p, const Mistakes& m) {
  if (m.Has("roles/query_key_swapped")) std::swap(p.q, p.k);
  if (m.Has("roles/keys_twice")) p.q = p.k;
  if (m.Has("roles/queries_twice")) p.k = p.q;
  if (m.Has("roles/values_from_keys")) p.v = p.k;
  if (m.Has("roles/values_from_queries")) p.v = p.q;
  if (m.Has("roles/key_value_swapped")) std::swap(p.k, p.v);
  if (m.Has("roles/query_value_swapped")) std::swap(p.q, p.v);
  if (m.Has("roles/scores_from_values")) p.k = p.v;
  if (m.Has("roles/rotated")) p = {p.x, p.k, p.v, p.q};
  return p;
}

double Divisor(double time, double width, double head, const Mistakes& m) {
  if (const auto number = m.Number("scale/other")) return *number;
  if (m.Has("scale/none") || m.Has("scale/after_softmax")) return 1;
  if (m.Has("scale/width")) return std::sqrt(width);
  if (m.Has("scale/width_no_root")) return width;
  if (m.Has("scale/no_root")) return head;
  if (m.Has("scale/multiplied")) return 1 / std::sqrt(head);
  if (m.Has("scale/multiplied_no_root")) return 1 / head;
  if (m.Has("scale/time")) return std::sqrt(time);
  if (m.Has("scale/fourth_root")) return std::sqrt(std::sqrt(head));
  return std::sqrt(head);
}

// (T, T), true where the query may not see the key.
Tensor Hidden(int64_t time, const Mistakes& m) {
  const Tensor ones = Ones({time, time}, DType::kBool);
  if (m.Has("mask/none")) return Zeros({time, time}, DType::kBool);
  if (m.Has("mask/strict")) return Triu(ones, 0);
  if (m.Has("mask/one_ahead")) return Triu(ones, 2);
  if (m.Has("mask/reversed")) return Tril(ones, -1);
  if (m.Has("mask/inverted")) return Tril(ones, 0);
  return Triu(ones, 1);
}

double FillValue(const Mistakes& m) {
  if (m.Has("fill/ten_thousand")) return -1e4;
  if (m.Has("fill/hundred")) return -100;
  if (m.Has("fill/ten")) return -10;
  if (m.Has("fill/one")) return -1;
  if (const auto number = m.Number("fill/other")) return -*number;
  return -kInfinity;
}

Tensor Normalise(const Tensor& s, const Mistakes& m) {
  const int time = s.rank() - 1;
  if (m.Has("softmax/none")) return s;
  if (m.Has("softmax/queries")) return Softmax(s, -2);
  if (m.Has("softmax/batch")) return Softmax(s, 0);
  if (m.Has("softmax/sigmoid")) return Sigmoid(s);
  if (m.Has("softmax/log")) return LogSoftmax(s, -1);
  if (m.Has("softmax/twice")) return Softmax(Softmax(s, -1), -1);
  if (m.Has("softmax/unstable")) {
    const Tensor e = Exp(s);
    return e / Sum(e, {-1}, true);
  }
  if (m.Has("softmax/not_normalised")) return Exp(s - AMax(s, {-1}, true));
  if (m.Has("softmax/linear")) return s / Sum(s, {-1}, true);
  if (m.Has("softmax/base_two")) return Softmax(s * std::log(2.0), -1);
  if (m.Has("softmax/hardest")) return Cast(Equal(s, AMax(s, {-1}, true)), s.dtype());
  if (m.Has("softmax/flattened")) {
    const Tensor flat = Flatten(s, time - 1, time);
    return Reshape(Softmax(flat, -1), s.shape());
  }
  return Softmax(s, -1);
}

Tensor Weights(Tensor s, const Mistakes& m) {
  const int64_t time = s.size(-1);
  const Tensor hidden = Hidden(time, m);
  const Tensor visible = Cast(LogicalNot(hidden), s.dtype());
  if (m.Has("mask/zero_scores")) return Normalise(s * visible, m);
  if (m.Has("mask/ones_added")) return Normalise(s + (1.0 - visible), m);
  if (m.Has("fill/added")) return Normalise(s + (visible - 1.0) * 1e4, m);
  if (m.Has("mask/after") || m.Has("mask/after_renormalised")) {
    const Tensor a = Normalise(s, m) * visible;
    return m.Has("mask/after") ? a : a / Sum(a, {-1}, true);
  }
  return Normalise(MaskedFill(s, hidden, FillValue(m)), m);
}

Tensor Mix(const Tensor& a, const AttentionProjections& p, const Mistakes& m) {
  if (m.Has("mix/weights_transposed")) return MatMul(Transpose(a, -2, -1), p.v);
  if (m.Has("mix/inputs")) return MatMul(a, p.x);
  if (m.Has("mix/values_added")) return MatMul(a, p.v) + p.v;
  if (m.Has("mix/averaged")) return MatMul(a, p.v) / static_cast<double>(a.size(-1));
  if (m.Has("mix/values_only")) return p.v;
  return MatMul(a, p.v);
}

}  // namespace

AttentionResult KnobbedAttention(const AttentionProjections& projections, int64_t width,
                                 const Mistakes& m, const std::function<Tensor(Tensor)>& drop) {
  const AttentionProjections p = WithRoles(projections, m);
  const double head = static_cast<double>(p.q.size(-1));
  const double divisor =
      Divisor(static_cast<double>(p.q.size(-2)), static_cast<double>(width), head, m);
  const Tensor raw = MatMul(p.q, Transpose(p.k, -2, -1));
  const Tensor scores = raw / divisor;
  Tensor weights = Weights(scores, m);
  if (m.Has("scale/after_softmax")) weights = weights / std::sqrt(head);
  Tensor returned = weights;
  if (m.Has("returned/scores")) returned = scores;
  if (m.Has("returned/masked_scores"))
    returned = MaskedFill(scores, Hidden(p.q.size(-2), m), -kInfinity);
  if (m.Has("returned/unmasked")) returned = Softmax(scores, -1);
  if (m.Has("returned/transposed")) returned = Transpose(weights, -2, -1);
  if (drop) weights = drop(weights);
  return {Mix(weights, p, m), weights, returned};
}

std::vector<Knob> AttentionKnobs() {
  const std::string not_head = ", not by sqrt(D) = sqrt({D}), the head's width";
  return {
      {.id = "roles",
       .right = "compares queries with keys and mixes values",
       .wrong =
           {{"query_key_swapped", "computes k q^T, the scores of keys against queries",
             "Row i of the scores belongs to query i. The two differ by a transposition, which "
             "the mask makes visible."},
            {"keys_twice", "uses the keys in the place of the queries (k k^T)"},
            {"queries_twice", "uses the queries in the place of the keys (q q^T)"},
            {"values_from_keys", "mixes keys in the place of values"},
            {"values_from_queries", "mixes queries in the place of values"},
            {"key_value_swapped", "has keys and values swapped"},
            {"query_value_swapped", "has queries and values swapped"},
            {"scores_from_values", "compares queries with values in the place of keys"},
            {"rotated", "takes keys for queries, values for keys and queries for values"}}},
      {.id = "scale",
       .right = "divides the scores by sqrt(D)",
       .wrong =
           {{"none", "does not scale the scores",
             "Step 4, 4.5: raw scores have standard deviation near sqrt(D), so that the softmax "
             "saturates."},
            {"width", "divides the scores by sqrt(C) = sqrt({C}), the inputs' width" + not_head,
             "Seen in the lecture that most learners copy from: ng-video-lecture had it until "
             "its pull request 6."},
            {"width_no_root", "divides the scores by C = {C}, the inputs' width" + not_head},
            {"no_root", "divides the scores by D = {D}, not by its square root"},
            {"multiplied", "multiplies the scores by sqrt(D) = sqrt({D}), not divides by it"},
            {"multiplied_no_root", "multiplies the scores by D = {D}"},
            {"time",
             "divides the scores by sqrt(T) = sqrt({T}), the number of positions" + not_head},
            {"fourth_root", "divides the scores by the square root of sqrt(D) = sqrt({D})"},
            {"after_softmax", "divides the weights by sqrt(D) = sqrt({D}), not the scores"},
            {.id = "other",
             .what = "divides the scores by {number}" + not_head,
             .fitted = Range{.varies = true}}}},
      {.id = "mask",
       .right = "hides later keys before the softmax",
       .wrong = {{"none", "does not mask: every query sees every key",
                  "transformers 48745: four models were shipped so, and lost their causality."},
                 {"strict",
                  "hides also each position from itself, so that the first query sees "
                  "nothing (Triu from 0, not from 1)"},
                 {"one_ahead", "lets each query see one key too many, the next token"},
                 {"reversed", "hides the past and not the future"},
                 {"inverted",
                  "has the mask inverted: what should be seen is hidden and the other "
                  "way round"},
                 {"zero_scores",
                  "sets the scores of hidden keys to 0, not to -inf, so that they get "
                  "weight exp(0)",
                  "numeric_limits<float>::min() does the same: it is the smallest positive number. "
                  "lowest() is the most negative one."},
                 {"ones_added", "adds the mask's ones to the scores, where -inf was meant"},
                 {"after", "masks after the softmax, so that rows do not sum to 1",
                  "Step 4, exercise 4."},
                 {"after_renormalised",
                  "masks after the softmax and divides by the sum: right in exact arithmetic, but "
                  "later keys move the last bits, and large scores give 0 / 0",
                  "Step 4, exercise 4: told apart by bits and by large scores."}}},
      {.id = "fill",
       .right = "fills hidden scores with -inf",
       .wrong = {{"ten_thousand", "fills hidden scores with -1e4, which large scores fall below",
                  "minGPT 75: loss near 0 in training, garbage at the test."},
                 {"hundred", "fills hidden scores with -100"},
                 {"ten", "fills hidden scores with -10"},
                 {"one", "fills hidden scores with -1"},
                 {"added", "adds -1e4 to hidden scores, which large scores outweigh"},
                 {.id = "other",
                  .what = "fills hidden scores with -{number}, not with -inf",
                  .fitted = Range{.low = 0.1}}}},
      {.id = "softmax",
       .right = "takes the softmax over the keys",
       .wrong = {{"none", "has no softmax"},
                 {"queries",
                  "takes the softmax over the queries (dimension -2), not the keys (-1)"},
                 {"batch", "takes the softmax over the batch (dimension 0)"},
                 {"sigmoid", "takes the sigmoid of each score, not the softmax of each row"},
                 {"log", "takes the logarithm of the softmax"},
                 {"twice", "takes the softmax twice"},
                 {"unstable",
                  "takes the exponential without subtracting the row's largest score, so "
                  "that large scores overflow"},
                 {"not_normalised", "does not divide the exponentials by their sum"},
                 {"linear", "divides scores by their sum, without the exponential"},
                 {"base_two", "takes powers of 2, not of e"},
                 {"hardest", "gives all weight to the largest score"},
                 {"flattened", "takes one softmax over all queries and keys together"}}},
      {.id = "mix",
       .right = "multiplies the weights with the values",
       .wrong = {{"weights_transposed", "multiplies the transposed weights with the values"},
                 {"inputs", "mixes the inputs x in the place of the values"},
                 {"values_added",
                  "adds the values to the result, a residual that belongs elsewhere"},
                 {"averaged", "divides the result by T = {T}"},
                 {"values_only", "returns the values without mixing them"}}},
  };
}

std::vector<Knob> ReturnedWeightsKnobs() {
  return {{.id = "returned",
           .right = "returns the weights",
           .wrong = {{"scores", "returns the scores in the place of the weights"},
                     {"masked_scores", "returns the masked scores in the place of the weights"},
                     {"unmasked", "returns weights that are not those it uses: without the mask"},
                     {"transposed", "returns the weights transposed"}}}};
}

}  // namespace lemma::tools::grading
