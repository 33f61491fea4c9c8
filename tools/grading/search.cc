#include "tools/grading/search.h"

#include <algorithm>
#include <limits>

#include "autograd/error.h"
#include "tools/grading/compare.h"

namespace lemma::tools::grading {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Search::Search(const Exercise& exercise, const std::vector<Probe>& probes,
               const std::vector<Answer>& answers)
    : exercise_(exercise) {
  // An exception on special inputs is an answer too, which the reference may give as well.
  const bool ordinary = !answers.empty() && answers[0].ok();
  for (size_t i = 0; i < probes.size(); ++i) {
    const bool threw = ordinary && answers[i].ending == Ending::kThrew;
    if (answers[i].ok() || threw) pairs_.push_back({&probes[i], &answers[i]});
  }
}

double Search::DistanceOn(size_t i, const Mistakes& mistakes) const {
  const Answer& answer = *pairs_[i].answer;
  try {
    const Values with = exercise_.reference(pairs_[i].probe->inputs, mistakes);
    return answer.ok() ? Compare(answer.outputs, with, exercise_.outputs).relative : kInfinity;
  } catch (const Error&) {
    // These mistakes exclude each other, or don't fit these sizes.
    return answer.ok() ? kInfinity : 0;
  }
}

bool Search::MatchesOn(size_t i, const Mistakes& mistakes) const {
  return DistanceOn(i, mistakes) <= probe(i).tolerance;
}

std::pair<bool, double> Search::Matches(const Mistakes& mistakes) const {
  double largest = 0;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const double distance = DistanceOn(i, mistakes);
    if (!(distance <= probe(i).tolerance)) return {false, i == 0 ? distance : kInfinity};
    largest = std::max(largest, distance);
  }
  return {true, largest};
}

}  // namespace lemma::tools::grading
