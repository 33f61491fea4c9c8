#include "tools/grading/specimen.h"

#include <utility>

#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/ops/cast.h"

namespace lemma::tools::grading {
namespace {

std::vector<Specimen>& All() {
  static auto* all = new std::vector<Specimen>;
  return *all;
}

}  // namespace

Specimens::Specimens(const std::string& exercise, std::vector<Specimen> correct,
                     std::vector<Specimen> mistaken) {
  for (Specimen& specimen : mistaken) LEMMA_CHECK(!specimen.correct(), specimen.name);
  for (std::vector<Specimen>* list : {&correct, &mistaken}) {
    for (Specimen& specimen : *list) {
      specimen.exercise = exercise;
      const Registration registration(specimen.child_name(), specimen.function);
      All().push_back(std::move(specimen));
    }
  }
}

std::vector<Specimen> Specimens::Of(const std::string& exercise) {
  std::vector<Specimen> chosen;
  for (const Specimen& specimen : All()) {
    if (exercise.empty() || specimen.exercise == exercise) chosen.push_back(specimen);
  }
  return chosen;
}

double UnsteadyOne() {
  static int calls = 0;
  return ++calls == 3 ? 1 + 4e-6 : 1;
}

Tensor InFloat64(const Tensor& x) { return Cast(x, DType::kFloat64); }

}  // namespace lemma::tools::grading
