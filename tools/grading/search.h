// How near answers are to what the reference gives with mistakes: what a diagnosis is searched
// with.
#ifndef LEMMA_TOOLS_GRADING_SEARCH_H_
#define LEMMA_TOOLS_GRADING_SEARCH_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "tools/grading/answer.h"
#include "tools/grading/exercise.h"
#include "tools/grading/knobs.h"

namespace lemma::tools::grading {

class Search {
 public:
  // `answers[i]` belongs to `probes[i]`; all three must outlive this. Answers that say nothing are
  // left out, so the numbers below may be others.
  Search(const Exercise& exercise, const std::vector<Probe>& probes,
         const std::vector<Answer>& answers);

  size_t size() const { return pairs_.size(); }
  const Probe& probe(size_t i) const { return *pairs_[i].probe; }

  // Infinite where one of the two is no answer and the other is.
  double DistanceOn(size_t i, const Mistakes& mistakes) const;
  bool MatchesOn(size_t i, const Mistakes& mistakes) const;

  // The largest of all probes where every one is within its tolerance; else what the first is off
  // by, which is infinite where it is near on the first probe alone.
  std::pair<bool, double> Matches(const Mistakes& mistakes) const;

 private:
  struct Pair {
    const Probe* probe;
    const Answer* answer;
  };
  const Exercise& exercise_;
  std::vector<Pair> pairs_;
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_SEARCH_H_
