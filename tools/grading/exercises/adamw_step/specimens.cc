#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/grading/exercises/adamw_step/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallAdamWStep;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using State = AdamWState;
using Options = AdamWOptions;
using Function = State (*)(const State& s, const Tensor& g, int64_t t, const Options& o);

Callable Bound(Function function) {
  return [function](const Values& in) { return CallAdamWStep(function, in); };
}

double Correction(double beta, int64_t t) { return 1 - std::pow(beta, static_cast<double>(t)); }
Tensor First(const State& s, const Tensor& g, const Options& o) {
  return s.m * o.beta1 + g * (1 - o.beta1);
}
Tensor Second(const State& s, const Tensor& g, const Options& o) {
  return s.v * o.beta2 + g * g * (1 - o.beta2);
}
// p after the decay and the step.
Tensor Stepped(const State& s, const Tensor& mean, const Tensor& divisor, const Options& o) {
  return s.p * (1 - o.lr * o.weight_decay) - mean / divisor * o.lr;
}

State Plain(const State& s, const Tensor& g, int64_t t, const Options& o) {
  const Tensor m = First(s, g, o), v = Second(s, g, o);
  const Tensor divisor = Sqrt(v / Correction(o.beta2, t)) + o.eps;
  return {Stepped(s, m / Correction(o.beta1, t), divisor, o), m, v};
}

State InLoops(const State& s, const Tensor& g, int64_t t, const Options& o) {
  std::vector<float> p = s.p.ToVector<float>(), m = s.m.ToVector<float>(),
                     v = s.v.ToVector<float>();
  const std::vector<float> gs = g.ToVector<float>();
  const double c1 = Correction(o.beta1, t), c2 = Correction(o.beta2, t);
  for (size_t i = 0; i < p.size(); ++i) {
    const double mi = o.beta1 * m[i] + (1 - o.beta1) * gs[i];
    const double vi = o.beta2 * v[i] + (1 - o.beta2) * gs[i] * gs[i];
    const double decayed = p[i] - o.lr * o.weight_decay * p[i];
    p[i] = static_cast<float>(decayed - o.lr * (mi / c1) / (std::sqrt(vi / c2) + o.eps));
    m[i] = static_cast<float>(mi), v[i] = static_cast<float>(vi);
  }
  return {FromVector(p, s.p.shape()), FromVector(m, s.p.shape()), FromVector(v, s.p.shape())};
}

// As the paper's efficient version: the corrections in the step size, eps scaled to match.
State Folded(const State& s, const Tensor& g, int64_t t, const Options& o) {
  const Tensor m = s.m + (g - s.m) * (1 - o.beta1), v = s.v + (g * g - s.v) * (1 - o.beta2);
  const double root = std::sqrt(Correction(o.beta2, t));
  const Tensor step = m / (Sqrt(v) + o.eps * root) * (o.lr * root / Correction(o.beta1, t));
  return {s.p - s.p * (o.lr * o.weight_decay) - step, m, v};
}

std::vector<Specimen> Mistaken() {
  const auto wrong = [](const char* name, std::vector<std::string> ids, Function f) {
    return Specimen{name, Bound(f), std::move(ids)};
  };
#define STEP                                                                                     \
  [[maybe_unused]] const State &s, [[maybe_unused]] const Tensor &g, [[maybe_unused]] int64_t t, \
      [[maybe_unused]] const Options &o
  return {
      wrong("no_decay", {"decay/none"},
            [](STEP) {
              Options none = o;
              none.weight_decay = 0;
              return Plain(s, g, t, none);
            }),
      wrong("decay_in_the_gradient", {"decay/in_the_gradient"},
            [](STEP) {
              Options none = o;
              none.weight_decay = 0;
              return Plain(s, g + s.p * o.weight_decay, t, none);
            }),
      wrong("decay_without_lr", {"decay/without_lr"},
            [](STEP) {
              Options more = o;
              more.weight_decay = o.weight_decay / o.lr;
              return Plain(s, g, t, more);
            }),
      wrong("decay_after", {"decay/after"},
            [](STEP) {
              Options none = o;
              none.weight_decay = 0;
              State next = Plain(s, g, t, none);
              next.p = next.p * (1 - o.lr * o.weight_decay);
              return next;
            }),
      wrong("betas_swapped", {"betas/swapped"},
            [](STEP) {
              Options swapped = o;
              std::swap(swapped.beta1, swapped.beta2);
              return Plain(s, g, t, swapped);
            }),
      wrong("whole_gradients", {"betas/not_complementary"},
            [](STEP) -> State {
              const Tensor m = s.m * o.beta1 + g, v = s.v * o.beta2 + g * g;
              const Tensor divisor = Sqrt(v / Correction(o.beta2, t)) + o.eps;
              return {Stepped(s, m / Correction(o.beta1, t), divisor, o), m, v};
            }),
      wrong("not_squared", {"second/not_squared"},
            [](STEP) -> State {
              const Tensor m = First(s, g, o), v = s.v * o.beta2 + Abs(g) * (1 - o.beta2);
              const Tensor divisor = Sqrt(v / Correction(o.beta2, t)) + o.eps;
              return {Stepped(s, m / Correction(o.beta1, t), divisor, o), m, v};
            }),
      wrong("no_root", {"second/no_root"},
            [](STEP) -> State {
              const Tensor m = First(s, g, o), v = Second(s, g, o);
              const Tensor divisor = v / Correction(o.beta2, t) + o.eps;
              return {Stepped(s, m / Correction(o.beta1, t), divisor, o), m, v};
            }),
      wrong("along_the_gradient", {"second/gradient_not_mean"},
            [](STEP) -> State {
              const Tensor v = Second(s, g, o);
              const Tensor divisor = Sqrt(v / Correction(o.beta2, t)) + o.eps;
              return {Stepped(s, g / Correction(o.beta1, t), divisor, o), First(s, g, o), v};
            }),
      wrong("not_corrected", {"correction/none"},
            [](STEP) -> State {
              const Tensor m = First(s, g, o), v = Second(s, g, o);
              return {Stepped(s, m, Sqrt(v) + o.eps, o), m, v};
            }),
      wrong("second_not_corrected", {"correction/first_only"},
            [](STEP) -> State {
              const Tensor m = First(s, g, o), v = Second(s, g, o);
              return {Stepped(s, m / Correction(o.beta1, t), Sqrt(v) + o.eps, o), m, v};
            }),
      wrong("first_not_corrected", {"correction/second_only"},
            [](STEP) -> State {
              const Tensor m = First(s, g, o), v = Second(s, g, o);
              return {Stepped(s, m, Sqrt(v / Correction(o.beta2, t)) + o.eps, o), m, v};
            }),
      wrong("steps_from_zero", {"step/from_zero"}, [](STEP) { return Plain(s, g, t - 1, o); }),
      wrong("eps_under_the_root", {"eps/under_the_root"},
            [](STEP) -> State {
              const Tensor m = First(s, g, o), v = Second(s, g, o);
              const Tensor divisor = Sqrt(v / Correction(o.beta2, t) + o.eps);
              return {Stepped(s, m / Correction(o.beta1, t), divisor, o), m, v};
            }),
      wrong("eps_before_correction", {"eps/before_correction"},
            [](STEP) -> State {
              const Tensor m = First(s, g, o), v = Second(s, g, o);
              const double root = std::sqrt(Correction(o.beta2, t));
              return {Stepped(s, m / Correction(o.beta1, t), (Sqrt(v) + o.eps) / root, o), m, v};
            }),
      wrong("ascends", {"sign/ascends"},
            [](STEP) -> State {
              const State down = Plain(s, g, t, o);
              return {s.p * (2 * (1 - o.lr * o.weight_decay)) - down.p, down.m, down.v};
            }),
      wrong("not_corrected_and_no_decay", {"decay/none", "correction/none"},
            [](STEP) -> State {
              const Tensor m = First(s, g, o), v = Second(s, g, o);
              return {s.p - m / (Sqrt(v) + o.eps) * o.lr, m, v};
            }),
      wrong("first_step_without_correction", {"first_step"},
            [](STEP) { return Plain(s, g, t == 1 && o.eps > 1e-6 ? 1000 : t, o); }),
      wrong("beta1_from_the_paper", {"betas/other_beta1"},
            [](STEP) {
              Options own = o;
              own.beta1 = 0.9;
              return Plain(s, g, t, own);
            }),
      wrong("beta2_from_the_paper", {"betas/other_beta2"},
            [](STEP) {
              Options own = o;
              own.beta2 = 0.999;
              return Plain(s, g, t, own);
            }),
      wrong("usual_decay", {"decay/other"},
            [](STEP) {
              Options own = o;
              own.weight_decay = 0.01;
              return Plain(s, g, t, own);
            }),
      wrong("a_large_eps", {"eps/other"},
            [](STEP) {
              Options own = o;
              own.eps = 0.02;
              return Plain(s, g, t, own);
            }),
      wrong("usual_rate", {"lr/other"},
            [](STEP) {
              Options own = o;
              own.lr = 3e-4;
              return Plain(s, g, t, own);
            }),
      // Not seen in the ordinary step, whose decay hides p's last digits.
      wrong("eps_of_its_own", {"small_gradients"},
            [](STEP) {
              Options other = o;
              if (o.weight_decay == 0) other.eps = 1e-8;
              return Plain(s, g, t, other);
            }),
      wrong("counts_to_1000", {"late_step"},
            [](STEP) {
              Options shorter = o;
              if (t > 1000) shorter.lr = 0;
              return Plain(s, g, t, shorter);
            }),
      wrong("nothing_over_nothing", {"no_gradients"},
            [](STEP) {
              Options none = o;
              if (o.eps <= 1e-8) none.eps = 0;
              return Plain(s, g, t, none);
            }),
      wrong("unsteady", {"deterministic"},
            [](STEP) -> State {
              const State right = Plain(s, g, t, o);
              return {right.p * lemma::tools::grading::UnsteadyOne(), right.m, right.v};
            }),
      wrong("in_place", {"clean"},
            [](STEP) {
              const State right = Plain(s, g, t, o);
              Tensor p = s.p;
              *p.mutable_data<float>() += 1;
              return right;
            }),
      wrong("in_float64", {"shapes"},
            [](STEP) -> State {
              const State right = Plain(s, g, t, o);
              return {lemma::tools::grading::InFloat64(right.p), right.m, right.v};
            }),
      wrong("as_a_column", {"shapes"},
            [](STEP) -> State {
              const State right = Plain(s, g, t, o);
              return {Unsqueeze(right.p, 1), right.m, right.v};
            }),
  };
#undef STEP
}

const Specimens kSpecimens(
    "adamw_step",
    {{"plain", Bound(Plain)}, {"in_loops", Bound(InLoops)}, {"folded", Bound(Folded)}}, Mistaken());

}  // namespace
}  // namespace homework
