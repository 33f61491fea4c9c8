// The nearest of a list of names to one that was mistyped, for "did you mean" in messages.
#ifndef LEMMA_TOOLS_NEAREST_H_
#define LEMMA_TOOLS_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lemma::tools {

// How many letters must be put in, left out, replaced or swapped with their neighbour to make `a`
// into `b`. Case does not count, nor the difference between '-' and '_'.
int EditDistance(absl::string_view a, absl::string_view b);

// The name with the smallest distance to `word` (the first of several), or "" where none is near:
// more than a third of the word, and more than one letter, would have to change.
std::string NearestName(absl::string_view word, const std::vector<std::string>& names);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_NEAREST_H_
