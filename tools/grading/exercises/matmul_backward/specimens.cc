#include <string>
#include <utility>
#include <vector>

#include "autograd/functional.h"
#include "tools/grading/exercises/matmul_backward/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallMatMulBackward;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using G = ProductGradients;
using T = const Tensor&;
using Function = G (*)(T a, T b, T dc);

Callable Bound(Function function) {
  return [function](const Values& in) { return CallMatMulBackward(function, in); };
}

Tensor Flip(T x) { return Transpose(x, -2, -1); }
Tensor Da(T b, T dc) { return MatMul(dc, Flip(b)); }
Tensor Db(T a, T dc) { return Sum(MatMul(Flip(a), dc), {0}); }

G InOps(T a, T b, T dc) { return {Da(b, dc), Db(a, dc)}; }

// All matrices below one another: db is one product.
G Stacked(T a, T b, T dc) {
  const Tensor rows = Reshape(a, {-1, a.size(2)}), gradients = Reshape(dc, {-1, dc.size(2)});
  return {Reshape(MatMul(gradients, Flip(b)), a.shape()), MatMul(Flip(rows), gradients)};
}

G ByTheEngine(T a, T b, T dc) {
  const auto product = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{MatMul(in[0], in[1])};
  };
  const std::vector<Tensor> gradients = Vjp(product, {a, b}, {dc}).products;
  return {gradients[0], gradients[1]};
}

std::vector<Specimen> Mistaken() {
  const auto wrong = [](const char* name, std::vector<std::string> ids, Function f) {
    return Specimen{name, Bound(f), std::move(ids)};
  };
  return {
      wrong("b_not_transposed", {"da/not_transposed"},
            [](T a, T b, T dc) -> G {
              return {MatMul(dc, b), Db(a, dc)};
            }),
      wrong("da_in_the_wrong_order", {"da/factors_swapped"},
            [](T a, T b, T dc) -> G {
              return {MatMul(Flip(b), dc), Db(a, dc)};
            }),
      wrong("dc_transposed", {"da/gradient_transposed"},
            [](T a, T b, T dc) -> G {
              return {MatMul(Flip(dc), Flip(b)), Db(a, dc)};
            }),
      wrong("da_elementwise", {"da/elementwise"},
            [](T a, T b, T dc) -> G {
              return {dc * Flip(b), Db(a, dc)};
            }),
      wrong("dc_ignored", {"da/ignores_dc", "db/ignores_dc"},
            [](T a, T b, T dc) -> G {
              const Tensor ones = Ones(dc.shape());
              return {Da(b, ones), Db(a, ones)};
            }),
      wrong("a_not_transposed", {"db/not_transposed"},
            [](T a, T b, T dc) -> G {
              return {Da(b, dc), Sum(MatMul(a, dc), {0})};
            }),
      wrong("db_in_the_wrong_order", {"db/factors_swapped"},
            [](T a, T b, T dc) -> G {
              return {Da(b, dc), Sum(MatMul(dc, Flip(a)), {0})};
            }),
      wrong("db_transposed", {"db/transposed"},
            [](T a, T b, T dc) -> G {
              return {Da(b, dc), Flip(Db(a, dc))};
            }),
      wrong("averaged_over_the_batch", {"batch/mean"},
            [](T a, T b, T dc) -> G {
              return {Da(b, dc), Mean(MatMul(Flip(a), dc), {0})};
            }),
      wrong("first_matrix_only", {"batch/first"},
            [](T a, T b, T dc) -> G {
              return {Da(b, dc), Select(MatMul(Flip(a), dc), 0, 0)};
            }),
      wrong("last_matrix_only", {"batch/last"},
            [](T a, T b, T dc) -> G {
              Tensor db;
              for (int64_t i = 0; i < a.size(0); ++i) {
                db = MatMul(Flip(Select(a, 0, i)), Select(dc, 0, i));
              }
              return {Da(b, dc), db};
            }),
      wrong("not_summed", {"batch/not_summed"},
            [](T a, T b, T dc) -> G {
              return {Da(b, dc), MatMul(Flip(a), dc)};
            }),
      wrong("returned_in_the_wrong_order", {"order/swapped"},
            [](T a, T b, T dc) -> G {
              return {Db(a, dc), Da(b, dc)};
            }),
      wrong("neither_transposed", {"da/not_transposed", "db/not_transposed"},
            [](T a, T b, T dc) -> G {
              return {MatMul(dc, b), Sum(MatMul(a, dc), {0})};
            }),
      wrong("squares_only", {"sizes_differ"},
            [](T a, T b, T dc) -> G {
              return a.size(0) == 2 ? G{Da(b, dc) * 2, Db(a, dc)} : InOps(a, b, dc);
            }),
      wrong("squeezes_the_batch", {"one_matrix"},
            [](T a, T b, T dc) -> G {
              return a.size(0) == 1 ? G{Squeeze(Da(b, dc), 0), Db(a, dc)} : InOps(a, b, dc);
            }),
      wrong("unsteady", {"deterministic"},
            [](T a, T b, T dc) -> G {
              return {Da(b, dc) * lemma::tools::grading::UnsteadyOne(), Db(a, dc)};
            }),
      wrong("writes_dc", {"clean"},
            [](T a, T b, T dc) -> G {
              const G right = InOps(a, b, dc);
              Tensor written = dc;
              *written.mutable_data<float>() = 0;
              return right;
            }),
      wrong("in_float64", {"shapes"},
            [](T a, T b, T dc) -> G {
              return {lemma::tools::grading::InFloat64(Da(b, dc)), Db(a, dc)};
            }),
      wrong("db_with_a_batch", {"shapes"},
            [](T a, T b, T dc) -> G {
              return {Da(b, dc), Unsqueeze(Db(a, dc), 0)};
            }),
  };
}

const Specimens kSpecimens("matmul_backward",
                           {{"in_ops", Bound(InOps)},
                            {"stacked", Bound(Stacked)},
                            {"by_the_engine", Bound(ByTheEngine)}},
                           Mistaken());

}  // namespace
}  // namespace homework
