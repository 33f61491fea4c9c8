// The smallest case that goes wrong, to be looked at by a person.
#ifndef LEMMA_TOOLS_GRADING_WITNESS_H_
#define LEMMA_TOOLS_GRADING_WITNESS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/grading/answer.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

using Matrix = std::vector<std::vector<double>>;

// The last two dimensions of a tensor, those of the first batch element; one row of a vector.
struct Panel {
  std::string name = {};
  Matrix yours = {};  // empty of an input, and where there was no answer
  Matrix right = {};
};

struct Witness {
  std::string sizes = {};          // "B=1, T=2, C=1, D=1"
  std::vector<Panel> inputs = {};  // in `right`
  std::vector<Panel> outputs = {};
  std::string problem = {};  // where there was no answer: what happened
};

// Asks for the exercise's small cases, in rising order, and returns the first that goes wrong.
std::optional<Witness> FindWitness(const Exercise& exercise, Examinee& examinee);

// As text, matrices side by side, cells that differ marked with *.
std::string WitnessText(const Witness& witness);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_WITNESS_H_
