// What one proposition's target adds to the table in README.md.
#ifndef LEMMA_TESTS_PROPOSITIONS_ROW_H_
#define LEMMA_TESTS_PROPOSITIONS_ROW_H_

#include <string>
#include <vector>

#include "tests/propositions/proposition.h"

namespace lemma::propositions {

struct Row {
  Statement statement;
  std::vector<std::string> measured;  // what ExpectHolds printed, in order
};

// The one of this binary.
Row& ThisRow();

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_ROW_H_
