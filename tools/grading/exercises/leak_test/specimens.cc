#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/grading/exercises/leak_test/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallLeakTest;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

Callable Bound(std::function<double(const Layer&, const Tensor&, Generator&)> function) {
  return [function](const Values& in) { return CallLeakTest(function, in); };
}

// x with another token at one position.
Tensor With(const Tensor& x, int64_t at, const Tensor& token) {
  return Concat({Slice(x, 1, 0, at), token, Slice(x, 1, at + 1)}, 1);
}
Tensor Token(const Tensor& x, Generator& g) { return RandN({x.size(0), 1, x.size(2)}, g) * 3.0; }
Tensor Changed(const Tensor& x, Generator& g) { return With(x, x.size(1) - 1, Token(x, g)); }
double Largest(const Tensor& d) { return d.numel() == 0 ? 0 : Max(Abs(d)).Item(); }
Tensor Early(const Tensor& y) { return Slice(y, 1, 0, y.size(1) - 1); }

double Plain(const Layer& layer, const Tensor& x, Generator& g) {
  return Largest(Early(layer(x) - layer(Changed(x, g))));
}

double InLoops(const Layer& layer, const Tensor& x, Generator& g) {
  const std::vector<float> a = layer(x).ToVector<float>();
  const std::vector<float> b = layer(Changed(x, g)).ToVector<float>();
  const int64_t t = x.size(1), c = x.size(2);
  double largest = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(a.size()); ++i) {
    if (i / c % t < t - 1) largest = std::max(largest, std::abs(double{a[i]} - b[i]));
  }
  return largest;
}

// Several replacements, the worst of them.
double Thorough(const Layer& layer, const Tensor& x, Generator& g) {
  double worst = 0;
  for (int i = 0; i < 3; ++i) worst = std::max(worst, Plain(layer, x, g));
  return worst;
}

std::vector<Specimen> Mistaken() {
  const auto wrong = [](const char* name, const char* id,
                        double (*f)(const Layer&, const Tensor&, Generator&)) {
    return Specimen{name, Bound(f), {id}};
  };
  return {
      wrong("first_token_changed", "change/first",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return Largest(Early(l(x) - l(With(x, 0, Token(x, g)))));
            }),
      wrong("compared_with_itself", "change/nothing",
            [](const Layer& l, const Tensor& x, Generator&) {
              const Tensor x2 = x;
              return Largest(Early(l(x) - l(x2)));
            }),
      wrong("hardly_changed", "change/little",
            [](const Layer& l, const Tensor& x, Generator&) {
              const Tensor last = Slice(x, 1, x.size(1) - 1) + 1e-4;
              return Largest(Early(l(x) - l(With(x, x.size(1) - 1, last))));
            }),
      wrong("all_positions_compared", "compare/all_positions",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return Largest(l(x) - l(Changed(x, g)));
            }),
      wrong("last_position_compared", "compare/last_position",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return Largest(Slice(l(x) - l(Changed(x, g)), 1, x.size(1) - 1));
            }),
      wrong("neighbour_left_out", "compare/short",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return Largest(Slice(l(x) - l(Changed(x, g)), 1, 0, x.size(1) - 2));
            }),
      wrong("first_position_left_out", "compare/without_the_first",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return Largest(Slice(Early(l(x) - l(Changed(x, g))), 1, 1));
            }),
      wrong("first_sample_only", "compare/first_sample",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return Largest(Select(Early(l(x) - l(Changed(x, g))), 0, 0));
            }),
      wrong("signed_mean", "measure/signed_mean",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return Mean(Early(l(x) - l(Changed(x, g)))).Item();
            }),
      wrong("one_sign_only", "measure/not_absolute",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return std::max(0.0, Max(Early(l(Changed(x, g)) - l(x))).Item());
            }),
      wrong("faint_leaks_ignored", "measure/rounded",
            [](const Layer& l, const Tensor& x, Generator& g) {
              const double leak = Largest(Early(l(x) - l(Changed(x, g))));
              return leak > 1e-2 ? leak : 0;
            }),
      wrong("smallest_difference", "measure/smallest",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return Min(Abs(Early(l(x) - l(Changed(x, g))))).Item();
            }),
      wrong("blind_for_three_positions", "three_positions",
            [](const Layer& l, const Tensor& x, Generator& g) {
              return x.size(1) == 3 ? 0 : Plain(l, x, g);
            }),
      wrong("changes_its_mind", "deterministic",
            [](const Layer& l, const Tensor& x, Generator& g) {
              // Wrong for all layers in the fourth question of a process.
              static int calls = 0;
              ++calls;
              return calls > 30 && calls <= 40 ? 1 - Plain(l, x, g) : Plain(l, x, g);
            }),
  };
}

const Specimens kSpecimens("leak_test",
                           {{"plain", Bound(Plain)},
                            {"in_loops", Bound(InLoops)},
                            {"thorough", Bound(Thorough)}},
                           Mistaken());

}  // namespace
}  // namespace homework
