// Numbers that no list holds: what a learner's code has in the place of a right one, found by
// fitting it to the answers.
#ifndef LEMMA_TOOLS_GRADING_FIT_H_
#define LEMMA_TOOLS_GRADING_FIT_H_

#include <optional>
#include <string>

#include "tools/grading/knobs.h"
#include "tools/grading/search.h"

namespace lemma::tools::grading {

struct Fit {
  Mistakes mistakes = {};
  double distance = 0;
  std::string sentence = {};  // "divides the scores by 8, not by sqrt(D) = sqrt(5)"
};

// The number with which the setting `id` ("eps/other", with a Range) explains all answers. Nothing
// where none does, or where any number does.
std::optional<Fit> FitNumber(const Search& search, const std::string& id, const Setting& setting);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_FIT_H_
