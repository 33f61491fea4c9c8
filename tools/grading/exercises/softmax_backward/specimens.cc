#include <string>
#include <utility>
#include <vector>

#include "tools/grading/exercises/softmax_backward/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallSoftmaxBackward;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using T = const Tensor&;
using Function = Tensor (*)(T p, T dp);

Callable Bound(Function function) {
  return [function](const Values& in) { return CallSoftmaxBackward(function, in); };
}

Tensor Dot(T p, T dp) { return Sum(p * dp, {-1}, true); }
Tensor InOps(T p, T dp) { return p * (dp - Dot(p, dp)); }

// With the Jacobian of each row.
Tensor WithJacobians(T p, T dp) {
  const int64_t n = p.size(-1);
  const Tensor rows = Reshape(p, {-1, n, 1}), gradients = Reshape(dp, {-1, n, 1});
  const Tensor jacobians = Eye(n) * rows - MatMul(rows, Transpose(rows, 1, 2));
  return Reshape(MatMul(jacobians, gradients), p.shape());
}

Tensor InLoops(T p, T dp) {
  std::vector<float> ps = p.ToVector<float>();
  const std::vector<float> gs = dp.ToVector<float>();
  const size_t n = static_cast<size_t>(p.size(-1));
  for (size_t row = 0; row < ps.size(); row += n) {
    double dot = 0;
    for (size_t i = row; i < row + n; ++i) dot += double{ps[i]} * gs[i];
    for (size_t i = row; i < row + n; ++i) ps[i] = static_cast<float>(ps[i] * (gs[i] - dot));
  }
  return FromVector(ps, p.shape());
}

std::vector<Specimen> Mistaken() {
  const auto wrong = [](const char* name, std::vector<std::string> ids, Function f) {
    return Specimen{name, Bound(f), std::move(ids)};
  };
  return {
      wrong("no_sum", {"sum/missing"}, [](T p, T dp) { return p * dp; }),
      wrong("sum_over_rows", {"sum/rows"},
            [](T p, T dp) { return p * (dp - Sum(p * dp, {p.rank() > 1 ? -2 : -1}, true)); }),
      wrong("sum_without_p", {"sum/without_p"},
            [](T p, T dp) { return p * (dp - Sum(dp, {-1}, true)); }),
      wrong("mean", {"sum/mean"}, [](T p, T dp) { return p * (dp - Mean(p * dp, {-1}, true)); }),
      wrong("sum_over_everything", {"sum/of_all"},
            [](T p, T dp) { return p * (dp - Sum(p * dp)); }),
      wrong("sum_added", {"sum/added"}, [](T p, T dp) { return p * (dp + Dot(p, dp)); }),
      wrong("as_a_sigmoid", {"form/elementwise"}, [](T p, T dp) { return p * dp - p * p * dp; }),
      wrong("not_multiplied", {"form/not_multiplied"}, [](T p, T dp) { return dp - Dot(p, dp); }),
      wrong("p_at_one_term", {"form/p_outside"}, [](T p, T dp) { return p * dp - Dot(p, dp); }),
      wrong("p_twice", {"form/squared"}, [](T p, T dp) { return p * InOps(p, dp); }),
      wrong("of_log_softmax", {"form/of_log_softmax"},
            [](T p, T dp) { return dp - p * Sum(dp, {-1}, true); }),
      wrong("passed_on", {"form/passed_on"}, [](T, T dp) { return dp; }),
      wrong("sign", {"sign/minus"}, [](T p, T dp) { return p * (Dot(p, dp) - dp); }),
      wrong("elementwise_with_the_sign_wrong", {"sum/missing", "sign/minus"},
            [](T p, T dp) { return -(p * dp); }),
      wrong("divides_by_p", {"saturated"}, [](T p, T dp) { return p * p * (dp - Dot(p, dp)) / p; }),
      wrong("rank_2_at_least", {"one_row"},
            [](T p, T dp) { return p.rank() == 1 ? Unsqueeze(InOps(p, dp), 0) : InOps(p, dp); }),
      wrong("one_class_passes", {"one_class"},
            [](T p, T dp) { return p.size(-1) == 1 ? dp : InOps(p, dp); }),
      wrong("unsteady", {"deterministic"},
            [](T p, T dp) { return InOps(p, dp) * lemma::tools::grading::UnsteadyOne(); }),
      wrong("in_place", {"clean"},
            [](T p, T dp) {
              const Tensor right = InOps(p, dp);
              Tensor written = dp;
              *written.mutable_data<float>() += 1;
              return right;
            }),
      wrong("in_float64", {"shapes"},
            [](T p, T dp) { return lemma::tools::grading::InFloat64(InOps(p, dp)); }),
      wrong("flattened", {"shapes"}, [](T p, T dp) { return Flatten(InOps(p, dp)); }),
  };
}

const Specimens kSpecimens("softmax_backward",
                           {{"in_ops", Bound(InOps)},
                            {"with_jacobians", Bound(WithJacobians)},
                            {"in_loops", Bound(InLoops)}},
                           Mistaken());

}  // namespace
}  // namespace homework
