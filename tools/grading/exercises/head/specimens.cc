#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/ops/attention.h"
#include "tools/grading/exercises/head/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallHead;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

Callable Bound(std::function<Tensor(Head&, const Tensor&)> function) {
  return [function](const Values& in) { return CallHead(function, in); };
}

double Root(int64_t n) { return std::sqrt(static_cast<double>(n)); }
Tensor Products(const Tensor& q, const Tensor& k) { return MatMul(q, Transpose(k, -2, -1)); }
Tensor Hide(const Tensor& s) {
  return MaskedFill(s, Triu(Ones({s.size(-1), s.size(-1)}, DType::kBool), 1), -INFINITY);
}

// --- correct ---

Tensor InOps(Head& head, const Tensor& x) {
  const Tensor k = head.key(x);
  Tensor scores = Products(head.query(x), k) / Root(k.size(-1));
  if (head.causal) scores = Hide(scores);
  head.A = Softmax(scores, -1);
  return MatMul(head.A, head.value(x));
}

Tensor WithTheDefinition(Head& head, const Tensor& x) {
  return AttentionDefinition(head.query(x), head.key(x), head.value(x), {.causal = head.causal},
                             &head.A);
}

// The mask as an addend of 0 and -inf, the scale on the queries, exponentials by hand.
Tensor ByHand(Head& head, const Tensor& x) {
  Tensor s = Products(head.query(x) / Root(head.key.weight.size(0)), head.key(x));
  const int64_t t = x.size(1);
  if (head.causal) s = s + Where(Triu(Ones({t, t}, DType::kBool), 1), Full({t, t}, -INFINITY), 0.0);
  const Tensor e = Exp(s - AMax(s, {-1}, true));
  head.A = e / Sum(e, {-1}, true);
  return MatMul(head.A, head.value(x));
}

// --- mistaken ---

struct Steps {
  std::function<Tensor(Head&, const Tensor& q, const Tensor& k)> scores =
      [](Head&, const Tensor& q, const Tensor& k) { return Products(q, k) / Root(k.size(-1)); };
  std::function<Tensor(Head&, const Tensor&)> hide = [](Head& h, const Tensor& s) {
    return h.causal ? Hide(s) : s;
  };
  std::function<Tensor(const Tensor&)> softmax = [](const Tensor& s) { return Softmax(s, -1); };
  std::function<Tensor(Head&, const Tensor& a, const Tensor& s)> keep =
      [](Head&, const Tensor& a, const Tensor&) { return a; };
  std::function<Tensor(const Tensor& a, const Tensor& v)> mix =
      [](const Tensor& a, const Tensor& v) { return MatMul(a, v); };
};

template <typename Change>
Specimen Wrong(const char* name, std::vector<std::string> expected, Change change) {
  Steps steps;
  change(steps);
  return {name, Bound([steps](Head& h, const Tensor& x) {
            const Tensor s = steps.hide(h, steps.scores(h, h.query(x), h.key(x)));
            const Tensor a = steps.softmax(s);
            h.A = steps.keep(h, a, s);
            return steps.mix(a, h.value(x));
          }),
          std::move(expected)};
}

std::vector<Specimen> Mistaken() {
  return {
      Wrong("always_masked", {"causal/ignored"},
            [](Steps& s) { s.hide = [](Head&, const Tensor& x) { return Hide(x); }; }),
      Wrong("never_masked", {"mask/none"},
            [](Steps& s) { s.hide = [](Head&, const Tensor& x) { return x; }; }),
      Wrong("masked_where_it_should_not", {"causal/inverted"},
            [](Steps& s) {
              s.hide = [](Head& h, const Tensor& x) { return h.causal ? x : Hide(x); };
            }),
      Wrong("not_scaled", {"scale/none"},
            [](Steps& s) {
              s.scores = [](Head&, const Tensor& q, const Tensor& k) { return Products(q, k); };
            }),
      Wrong("scaled_only_where_masked", {"unmasked"},
            [](Steps& s) {
              s.scores = [](Head& h, const Tensor& q, const Tensor& k) {
                return h.causal ? Products(q, k) / Root(k.size(-1)) : Products(q, k);
              };
            }),
      Wrong("scaled_by_the_width", {"scale/width"},
            [](Steps& s) {
              s.scores = [](Head& h, const Tensor& q, const Tensor& k) {
                return Products(q, k) / Root(h.key.weight.size(1));
              };
            }),
      Wrong("scaled_by_a_constant", {"scale/other"},
            [](Steps& s) {
              s.scores = [](Head&, const Tensor& q, const Tensor& k) { return Products(q, k) / 4; };
            }),
      Wrong("scores_transposed", {"roles/query_key_swapped"},
            [](Steps& s) {
              s.scores = [](Head&, const Tensor& q, const Tensor& k) {
                return Products(k, q) / Root(k.size(-1));
              };
            }),
      Wrong("softmax_over_queries", {"softmax/queries"},
            [](Steps& s) { s.softmax = [](const Tensor& x) { return Softmax(x, 1); }; }),
      Wrong("softmax_overflows", {"softmax/unstable"},
            [](Steps& s) {
              s.softmax = [](const Tensor& x) {
                const Tensor e = Exp(x);
                return e / Sum(e, {-1}, true);
              };
            }),
      Wrong("filled_with_minus_ten_thousand", {"fill/ten_thousand"},
            [](Steps& s) {
              s.hide = [](Head& h, const Tensor& x) {
                const Tensor future = Triu(Ones({x.size(-1), x.size(-1)}, DType::kBool), 1);
                return h.causal ? MaskedFill(x, future, -1e4) : x;
              };
            }),
      Wrong("scores_kept", {"returned/masked_scores"},
            [](Steps& s) {
              s.keep = [](Head&, const Tensor&, const Tensor& scores) { return scores; };
            }),
      Wrong("in_float64", {"shapes"},
            [](Steps& s) {
              s.mix = [](const Tensor& a, const Tensor& v) {
                return lemma::tools::grading::InFloat64(MatMul(a, v));
              };
            }),
      Wrong(
          "nothing_kept", {"shapes"},
          [](Steps& s) { s.keep = [](Head&, const Tensor&, const Tensor&) { return Tensor(); }; }),
      Wrong("values_added", {"mix/values_added"},
            [](Steps& s) {
              s.mix = [](const Tensor& a, const Tensor& v) { return MatMul(a, v) + v; };
            }),
      Wrong("not_scaled_and_always_masked", {"scale/none", "causal/ignored"},
            [](Steps& s) {
              s.scores = [](Head&, const Tensor& q, const Tensor& k) { return Products(q, k); };
              s.hide = [](Head&, const Tensor& x) { return Hide(x); };
            }),
      Wrong("log_softmax_masked_and_normalised_again", {"causality"},
            [](Steps& s) {
              s.hide = [](Head& h, const Tensor& x) {
                return h.causal ? Hide(LogSoftmax(x, -1)) : x;
              };
            }),
      Wrong("small_weights_dropped", {"positive"},
            [](Steps& s) {
              s.softmax = [](const Tensor& x) {
                const Tensor a = Softmax(x, -1);
                return MaskedFill(a, Less(a, 1e-6), 0);
              };
            }),
      Wrong("faint_weights_above_the_diagonal", {"triangular"},
            [](Steps& s) {
              s.keep = [](Head&, const Tensor& a, const Tensor&) { return a + 1e-9; };
            }),
      Wrong("unsteady", {"deterministic"},
            [](Steps& s) {
              s.mix = [](const Tensor& a, const Tensor& v) {
                return MatMul(a, v) * lemma::tools::grading::UnsteadyOne();
              };
            }),
      Wrong("writes_its_weights", {"clean"},
            [](Steps& s) {
              s.keep = [](Head& h, const Tensor& a, const Tensor&) {
                *h.key.weight.mutable_data<float>() += 1e-7f;
                return a;
              };
            }),
      Wrong("squeezes_the_batch", {"one_sample"},
            [](Steps& s) {
              s.mix = [](const Tensor& a, const Tensor& v) {
                return a.size(0) == 1 ? Squeeze(MatMul(a, v), 0) : MatMul(a, v);
              };
            }),
      Wrong("squeezes_the_time", {"one_position"},
            [](Steps& s) {
              s.mix = [](const Tensor& a, const Tensor& v) {
                return a.size(1) == 1 ? Squeeze(MatMul(a, v), 1) : MatMul(a, v);
              };
            }),
  };
}

const Specimens kSpecimens("head",
                           {{"in_ops", Bound(InOps)},
                            {"with_the_definition", Bound(WithTheDefinition)},
                            {"by_hand", Bound(ByHand)}},
                           Mistaken());

}  // namespace
}  // namespace homework
