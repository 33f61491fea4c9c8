#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/functional.h"
#include "autograd/ops/layer_norm.h"
#include "tools/grading/exercises/layer_norm_backward/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallLayerNormBackward;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using G = NormGradients;
using T = const Tensor&;
using Function = std::function<G(T x, T w, T dy, double eps)>;

Callable Bound(Function function) {
  return [function](const Values& in) { return CallLayerNormBackward(function, in); };
}

// What all need of the forward.
struct Forward {
  Forward(T x, T w, T dy, double eps)
      : centred(x - Mean(x, {1}, true)),
        root(Sqrt(Mean(centred * centred, {1}, true) + eps)),
        xhat(centred / root),
        dxhat(dy * w) {}
  Tensor Along() const { return xhat * Mean(dxhat * xhat, {1}, true); }
  Tensor Dx() const { return (dxhat - Mean(dxhat, {1}, true) - Along()) / root; }

  Tensor centred, root, xhat, dxhat;
};

G InOps(T x, T w, T dy, double eps) {
  const Forward f(x, w, dy, eps);
  return {f.Dx(), Sum(dy * f.xhat, {0}), Sum(dy, {0})};
}

G ByTheEngine(T x, T w, T dy, double eps) {
  const auto norm = [eps](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{lemma::LayerNorm(in[0], {in[0].size(1)}, in[1], in[2], eps)};
  };
  const std::vector<Tensor> g = Vjp(norm, {x, w, Zeros(w.shape())}, {dy}).products;
  return {g[0], g[1], g[2]};
}

// The chain rule step by step, through the variance and the mean.
G StepByStep(T x, T w, T dy, double eps) {
  const Forward f(x, w, dy, eps);
  const double c = static_cast<double>(x.size(1));
  const Tensor dvariance = Sum(f.dxhat * f.centred, {1}, true) * -0.5 / (f.root * f.root * f.root);
  const Tensor dmean = -Sum(f.dxhat / f.root, {1}, true);
  const Tensor dx = f.dxhat / f.root + dvariance * f.centred * (2 / c) + dmean / c;
  return {dx, Sum(dy * f.xhat, {0}), Sum(dy, {0})};
}

template <typename Dx>
Specimen WrongDx(const char* name, std::vector<std::string> ids, Dx dx) {
  return {name, Bound([dx](T x, T w, T dy, double eps) -> G {
            const G right = InOps(x, w, dy, eps);
            return {dx(Forward(x, w, dy, eps)), right.dweight, right.dbias};
          }),
          std::move(ids)};
}

std::vector<Specimen> Mistaken() {
  const auto wrong = [](const char* name, std::vector<std::string> ids, Function f) {
    return Specimen{name, Bound(f), std::move(ids)};
  };
  using F = const Forward&;
  return {
      WrongDx("mean_forgotten", {"mean/forgotten"},
              [](F f) { return (f.dxhat - f.Along()) / f.root; }),
      WrongDx("variance_forgotten", {"along/forgotten"},
              [](F f) { return (f.dxhat - Mean(f.dxhat, {1}, true)) / f.root; }),
      WrongDx("both_forgotten", {"mean/forgotten", "along/forgotten"},
              [](F f) { return f.dxhat / f.root; }),
      WrongDx("without_xhat", {"along/without_xhat"},
              [](F f) {
                return (f.dxhat - Mean(f.dxhat, {1}, true) - Mean(f.dxhat * f.xhat, {1}, true)) /
                       f.root;
              }),
      WrongDx("centred_for_xhat", {"along/of_centred"},
              [](F f) {
                return (f.dxhat - Mean(f.dxhat, {1}, true) -
                        f.centred * Mean(f.dxhat * f.centred, {1}, true)) /
                       f.root;
              }),
      WrongDx("sum_for_mean", {"along/sum"},
              [](F f) {
                return (f.dxhat - Mean(f.dxhat, {1}, true) -
                        f.xhat * Sum(f.dxhat * f.xhat, {1}, true)) /
                       f.root;
              }),
      WrongDx("added", {"along/added"},
              [](F f) { return (f.dxhat - Mean(f.dxhat, {1}, true) + f.Along()) / f.root; }),
      WrongDx("root_forgotten", {"scale/forgotten"}, [](F f) { return f.Dx() * f.root; }),
      WrongDx("root_multiplied", {"scale/root_only"}, [](F f) { return f.Dx() * f.root * f.root; }),
      WrongDx("divided_by_the_variance", {"scale/variance"}, [](F f) { return f.Dx() / f.root; }),
      wrong("weight_forgotten", {"weight/forgotten"},
            [](T x, T w, T dy, double eps) -> G {
              const G right = InOps(x, w, dy, eps);
              return {InOps(x, Ones(w.shape()), dy, eps).dx, right.dweight, right.dbias};
            }),
      wrong("eps_forgotten", {"eps/forgotten"},
            [](T x, T w, T dy, double) { return InOps(x, w, dy, 0); }),
      wrong("an_eps_of_its_own", {"eps/other"},
            [](T x, T w, T dy, double) { return InOps(x, w, dy, 3e-4); }),
      wrong("averaged_over_rows", {"parameters/mean"},
            [](T x, T w, T dy, double eps) -> G {
              const Forward f(x, w, dy, eps);
              return {f.Dx(), Mean(dy * f.xhat, {0}), Mean(dy, {0})};
            }),
      wrong("dweight_of_x", {"dweight/of_x"},
            [](T x, T w, T dy, double eps) -> G {
              return {InOps(x, w, dy, eps).dx, Sum(dy * x, {0}), Sum(dy, {0})};
            }),
      wrong("dweight_without_xhat", {"dweight/without_xhat"},
            [](T x, T w, T dy, double eps) -> G {
              return {InOps(x, w, dy, eps).dx, Sum(dy, {0}), Sum(dy, {0})};
            }),
      wrong("dbias_weighted", {"dbias/weighted"},
            [](T x, T w, T dy, double eps) -> G {
              const G right = InOps(x, w, dy, eps);
              return {right.dx, right.dweight, Sum(dy * w, {0})};
            }),
      wrong("cut_off_near_zero", {"small_variance"},
            [](T x, T w, T dy, double eps) {
              const bool small = Max(Var(x, {1}, 0)).Item() < 1e-3;
              return InOps(x, w, dy, small ? eps * 10 : eps);
            }),
      wrong("one_row_has_no_sum", {"one_row"},
            [](T x, T w, T dy, double eps) -> G {
              const G right = InOps(x, w, dy, eps);
              return x.size(0) == 1 ? G{right.dx, Unsqueeze(right.dweight, 0), right.dbias} : right;
            }),
      wrong("unsteady", {"deterministic"},
            [](T x, T w, T dy, double eps) -> G {
              const G right = InOps(x, w, dy, eps);
              return {right.dx * lemma::tools::grading::UnsteadyOne(), right.dweight, right.dbias};
            }),
      wrong("in_place", {"clean"},
            [](T x, T w, T dy, double eps) {
              const G right = InOps(x, w, dy, eps);
              Tensor written = dy;
              *written.mutable_data<float>() += 1;
              return right;
            }),
      wrong("in_float64", {"shapes"},
            [](T x, T w, T dy, double eps) -> G {
              const G right = InOps(x, w, dy, eps);
              return {lemma::tools::grading::InFloat64(right.dx), right.dweight, right.dbias};
            }),
      wrong("dbias_for_each_row", {"shapes"},
            [](T x, T w, T dy, double eps) -> G {
              const G right = InOps(x, w, dy, eps);
              return {right.dx, right.dweight, dy};
            }),
  };
}

const Specimens kSpecimens("layer_norm_backward",
                           {{"in_ops", Bound(InOps)},
                            {"by_the_engine", Bound(ByTheEngine)},
                            {"step_by_step", Bound(StepByStep)}},
                           Mistaken());

}  // namespace
}  // namespace homework
