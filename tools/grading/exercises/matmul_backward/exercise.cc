#include <cstdint>
#include <string>
#include <vector>

#include "tools/grading/checks.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

struct Sizes {
  int64_t b, m, k, n;
};

Probe MakeProbe(const std::string& name, const Sizes& s, uint64_t seed, bool whole = false) {
  Draw draw(seed);
  const auto make = [&](const Shape& shape) {
    return whole ? draw.Whole(shape, -2, 2) : draw.Normal(shape);
  };
  return {.name = name,
          .inputs = Values()
                        .Add("a", make({s.b, s.m, s.k}))
                        .Add("b", make({s.k, s.n}))
                        .Add("dc", make({s.b, s.m, s.n})),
          .sizes = {{"B", s.b}, {"M", s.m}, {"K", s.k}, {"N", s.n}}};
}

// The ordinary one is square, so that products in the wrong order have a value that tells which.
std::vector<Probe> Probes(uint64_t seed) {
  return {MakeProbe("ordinary", {3, 4, 4, 4}, seed),
          MakeProbe("sizes_differ", {2, 5, 3, 7}, seed + 1),
          MakeProbe("one_matrix", {1, 6, 2, 5}, seed + 2)};
}

std::vector<Probe> Witnesses() {
  return {MakeProbe("", {1, 1, 1, 1}, 1, true), MakeProbe("", {1, 2, 2, 2}, 2, true),
          MakeProbe("", {2, 1, 1, 1}, 3, true), MakeProbe("", {2, 2, 2, 2}, 4, true)};
}

Tensor T(const Tensor& x) { return Transpose(x, -2, -1); }

Values Reference(const Values& in, const Mistakes& m) {
  const Tensor a = in["a"], b = in["b"], dc = in["dc"];
  Tensor da = MatMul(dc, T(b));
  if (m.Has("da/not_transposed")) da = MatMul(dc, b);
  if (m.Has("da/factors_swapped")) da = MatMul(T(b), dc);
  if (m.Has("da/gradient_transposed")) da = MatMul(T(dc), T(b));
  if (m.Has("da/elementwise")) da = dc * T(b);
  if (m.Has("da/ignores_dc")) da = MatMul(Ones(dc.shape(), dc.dtype()), T(b));
  Tensor all = MatMul(T(a), dc);  // (B, K, N)
  if (m.Has("db/not_transposed")) all = MatMul(a, dc);
  if (m.Has("db/factors_swapped")) all = MatMul(dc, T(a));
  if (m.Has("db/transposed")) all = MatMul(T(dc), a);
  if (m.Has("db/ignores_dc")) all = MatMul(T(a), Ones(dc.shape(), dc.dtype()));
  Tensor db = Sum(all, {0});
  if (m.Has("batch/mean")) db = Mean(all, {0});
  if (m.Has("batch/first")) db = Select(all, 0, 0);
  if (m.Has("batch/last")) db = Select(all, 0, -1);
  if (m.Has("batch/not_summed")) db = all;
  if (m.Has("order/swapped")) return Values().Add("da", db).Add("db", da);
  return Values().Add("da", da).Add("db", db);
}

}  // namespace

Exercise MatMulBackwardExercise() {
  Exercise e;
  e.name = "matmul_backward";
  e.title = "The backward of a matrix product";
  e.source = "The engine's own, autograd/ops/matmul.h";
  e.task = "Given dc, the gradient of c = a b, compute those of a and b by hand.";
  e.hints = {
      "Which product of dc with b or b^T has the shape of a?",
      "dc_mn = sum over k of da_mk b_kn + a_mk db_kn. One b serves all B matrices: what does that "
      "do "
      "to its gradient?",
      "da = dc b^T; db = the sum over the batch of a^T dc.",
  };
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"da", "db"};
  e.knobs = {
      {"da",
       "computes da = dc b^T",
       {{"not_transposed", "multiplies dc with b, not with b^T"},
        {"factors_swapped", "has the factors of da in the wrong order (b^T dc)"},
        {"gradient_transposed", "transposes dc in da"},
        {"elementwise", "multiplies dc and b^T element by element"},
        {"ignores_dc", "leaves dc out of da, as if it were all ones"}}},
      {"db",
       "computes db = a^T dc",
       {{"not_transposed", "multiplies a, not a^T, with dc"},
        {"factors_swapped", "has the factors of db in the wrong order (dc a^T)"},
        {"transposed", "computes the transpose of db (dc^T a)"},
        {"ignores_dc", "leaves dc out of db, as if it were all ones"}}},
      {"batch",
       "sums db over the batch",
       {{"mean", "averages db over the batch, not sums it"},
        {"first", "takes db of the first matrix only"},
        {"last", "takes db of the last matrix only"},
        {"not_summed", "does not sum db over the batch"}}},
      {"order",
       "returns da, db",
       {{"swapped", "returns db in the place of da and the other way round"}}},
  };
  e.checks = {
      ShapesCheck(),
      DeterministicCheck(),
      CleanCheck(),
      AgreementCheck(
          "values", "Agreement: square matrices", "ordinary", {"shapes"},
          "is what the other inputs stand on, and the plainest measure of how far off it is"),
      AgreementCheck("sizes_differ", "Agreement: sizes that differ", "sizes_differ",
                     {"shapes", "values"}),
      AgreementCheck("one_matrix", "Agreement: B = 1", "one_matrix", {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
